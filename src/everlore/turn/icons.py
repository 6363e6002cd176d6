"""The Material Symbols that a conversation may have: a closed list, because models invent names (V7).

`icon_for` chooses one by the words of a text, without a model.
"""

import re
from collections import Counter

DEFAULT_ICON = "chat"

ICONS = frozenset(
    # Talk and people
    "chat forum mail campaign record_voice_over groups person child_care family_restroom handshake diversity_3 "
    "volunteer_activism emoji_people "
    # Feelings and thoughts
    "favorite heart_broken mood mood_bad sentiment_calm celebration self_improvement spa psychology lightbulb "
    "auto_awesome help "
    # Days and time
    "schedule hourglass_empty calendar_month event history bedtime wb_sunny cake redeem "
    # Home and daily life
    "home cottage apartment bed chair kitchen cleaning_services shopping_cart checkroom build handyman construction "
    "key lock "
    # Food and drink
    "restaurant local_cafe local_bar local_pizza bakery_dining lunch_dining ramen_dining icecream wine_bar "
    # Nature and weather
    "park forest grass eco local_florist potted_plant waves cloud thunderstorm ac_unit landscape volcano pets "
    "cruelty_free "
    # Travel and places
    "flight train directions_car directions_bike sailing rocket_launch hiking luggage map explore public "
    "beach_access location_on castle temple_buddhist church fort "
    # Work, money and learning
    "work school menu_book auto_stories science biotech calculate functions history_edu translate edit_note draw "
    "description task_alt checklist flag trending_up bar_chart savings payments account_balance gavel balance "
    # Computing
    "code terminal computer smartphone memory database smart_toy bolt settings security bug_report "
    # Health and sport
    "medical_services medication monitor_heart fitness_center directions_run sports_soccer sports_basketball "
    "sports_tennis pool sports_martial_arts "
    # Art and play
    "palette brush photo_camera movie theater_comedy music_note headphones piano mic sports_esports casino "
    "extension toys chess "
    # Adventure
    "swords shield skull visibility search travel_explore diamond crown warning local_fire_department stars "
    "dark_mode".split()
)

# Words by which an icon is chosen without a model; a word may also have the endings of a plural or a verb.
_TOPICS = {
    "flight": "flight fly airport plane airline",
    "train": "train railway subway metro",
    "directions_car": "car drive driving garage traffic",
    "directions_bike": "bike bicycle cycling",
    "sailing": "boat sail sailing ferry ship harbor harbour",
    "luggage": "trip travel vacation holiday journey itinerary hotel",
    "hiking": "hike hiking trail mountain",
    "beach_access": "beach seaside coast",
    "restaurant": "dinner lunch restaurant recipe cook cooking meal food eat",
    "local_cafe": "coffee tea cafe espresso",
    "local_bar": "bar cocktail beer tavern inn",
    "local_pizza": "pizza",
    "bakery_dining": "bread bakery bake baking sourdough",
    "cake": "birthday cake anniversary",
    "pets": "dog cat puppy kitten pet vet horse parrot hamster",
    "potted_plant": "plant garden gardening seed tomato",
    "home": "house home apartment flat rent landlord kitchen",
    "family_restroom": "family mother father mom mum dad sister brother parent son daughter grandmother grandfather",
    "child_care": "baby toddler kid child children",
    "favorite": "love girlfriend boyfriend wife husband wedding date relationship",
    "heart_broken": "breakup divorce heartbroken",
    "work": "job work office boss interview career colleague salary meeting",
    "school": "school university college exam homework teacher student lecture thesis",
    "menu_book": "book novel read reading library author chapter",
    "auto_stories": "story tale fairy legend",
    "edit_note": "write writing essay draft letter poem",
    "code": "code python javascript programming function bug compile script api regex",
    "terminal": "linux terminal shell bash server docker",
    "computer": "computer laptop pc keyboard windows",
    "smartphone": "phone iphone android app",
    "smart_toy": "robot ai chatbot",
    "science": "physics chemistry experiment science biology",
    "calculate": "math maths equation algebra calculus",
    "translate": "translate translation language spanish french german japanese english",
    "payments": "money budget bank loan invoice price",
    "savings": "savings save invest investment pension",
    "gavel": "law lawyer court contract legal",
    "medical_services": "doctor hospital sick illness pain surgery allergy allergic nurse",
    "medication": "medicine pill prescription vaccine",
    "fitness_center": "gym workout exercise weights",
    "directions_run": "running marathon jog",
    "self_improvement": "yoga meditation meditate mindfulness",
    "bedtime": "sleep insomnia dream nightmare",
    "mood_bad": "sad lonely anxious anxiety depressed worried stress",
    "sports_soccer": "football soccer goal",
    "sports_basketball": "basketball",
    "sports_tennis": "tennis",
    "pool": "swim swimming pool",
    "music_note": "music song band concert melody",
    "piano": "piano guitar violin instrument",
    "movie": "movie film cinema series netflix",
    "palette": "paint painting art museum drawing",
    "photo_camera": "photo camera picture photography",
    "sports_esports": "game gaming videogame console",
    "casino": "dice casino gamble campaign tabletop dungeon rpg",
    "chess": "chess",
    "swords": "sword battle fight war duel dragon knight quest",
    "castle": "castle king queen kingdom throne prince princess",
    "auto_awesome": "magic spell wizard witch sorcerer potion",
    "skull": "dead death grave ghost skeleton murder",
    "search": "mystery detective clue missing investigate",
    "rocket_launch": "space rocket planet mars galaxy astronaut",
    "thunderstorm": "storm thunder lightning",
    "wb_sunny": "weather sunny summer",
    "ac_unit": "snow winter cold ice",
    "park": "park forest tree wood",
    "shopping_cart": "buy shopping shop store order",
    "redeem": "gift present christmas",
    "build": "repair fix broken tool install",
    "calendar_month": "plan schedule calendar appointment",
}
_ICON_OF = {word: icon for icon, words in _TOPICS.items() for word in words.split()}
_WORD = re.compile(r"[^\W\d_]+")
_ENDINGS = ("", "s", "es", "ing", "ed")


def icon_for(text: str) -> str:
    """The icon whose words occur most often in a text, the first of equals; empty if none does."""
    found = Counter(icon for word in _WORD.findall(text.lower()) if (icon := _icon_of(word)))
    return found.most_common(1)[0][0] if found else ""


def _icon_of(word: str) -> str:
    stems = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    return next((_ICON_OF[stem] for stem in stems if stem in _ICON_OF), "")
