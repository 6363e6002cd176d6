"""The Material Symbols that a conversation may carry: a closed list, because models invent names (V7)."""

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
