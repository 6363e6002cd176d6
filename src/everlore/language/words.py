"""Word lists that the rules share: what people are to each other, what they keep, learn, speak, play and suffer from.

They stay short where grammar decides, and only name what grammar cannot tell: that "nurse" is work and "mess" is not.
"""

from everlore.language.people import ANYBODY, FEMALE, KEPT, MALE, PERSONS, PETS, PLURAL_PETS, PLURALS, RELATIVES

__all__ = ["ANYBODY", "FEMALE", "KEPT", "MALE", "PERSONS", "PETS", "PLURALS", "PLURAL_PETS", "RELATIVES"]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.split()) for each in text.split(","))


# Whoever mentions one of these tells that they have one. Everybody has a mother.
TELLING = (
    words(
        "child siblings sister brother wife husband girlfriend boyfriend daughter son niece nephew stepson "
        "stepdaughter grandson granddaughter fiance fiancé fiancée kids children sons daughters brothers sisters twins "
        "grandkids grandchildren teenager ex-wife ex-husband in-laws roommate roommates flatmate flatmates housemate "
        "housemates stepkids stepchildren toddler stepsister stepbrother stepdad stepmum stepmom lodger teenagers "
        "toddlers triplets godson goddaughter godchildren eldest partner fiancee newborn ex-partner"
    )
    | (PETS - {"pet", "fish", "rat", "mouse", "bird", "lab", "shepherd", "retriever"})
    | words("dogs cats puppies kittens horses rabbits chickens goats twin")
)
BEFORE_PERSONS = words(
    "older younger big little lil elder eldest oldest youngest twin best only late middle new old dear beloved step "
    "half great first second ex future identical adopted biological good close childhood male female grown teenage "
    "baby small beautiful wonderful lovely amazing sweet cute awesome adorable handsome crazy annoying tiny rescue "
    "black white brown orange grey gray golden german french english siamese persian maine pet guinea border ginger "
    "tabby fluffy fat lazy blind three-legged australian jack yorkshire pit shiba bengal high college work school "
    "long-time longtime elderly disabled wee kid playful loyal energetic gorgeous senior miniature mini huge large "
    "former current estranged stay-at-home autistic deaf bernese scottish irish boston business maths math science "
    "history violin piano ballet driving poor gay mad ancient grumpy clever deceased long-suffering favourite "
    "favorite fellow russian italian spanish greek welsh japanese indian cocker basset springer shetland stray tomcat "
    "pedigree nine-year-old maternal paternal teenaged military ex-military vegan vegetarian american british "
    "canadian dutch swedish polish chinese korean brazilian mexican gp primary secondary next-door downstairs "
    "upstairs nosy husband's"
)
NUMBERS = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
SOME = NUMBERS | words("a an several many multiple some couple few no zero another both lots plenty")
MONTHS = words(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec"
)
DAYS = words("monday tuesday wednesday thursday friday saturday sunday")

# ── what people are ──────────────────────────────────────────────────────────────────────────────

WORKS = words(
    "dev nurse doctor physician surgeon dentist vet veterinarian paramedic emt pharmacist teacher tutor professor "
    "lecturer principal student undergrad freshman sophomore junior senior postdoc engineer developer programmer "
    "coder architect designer artist illustrator photographer writer author novelist poet journalist reporter editor "
    "blogger youtuber streamer influencer chef cook baker barista waiter waitress bartender server butcher farmer "
    "rancher gardener florist carpenter plumber electrician mechanic welder roofer mason contractor builder driver "
    "trucker pilot sailor captain soldier marine officer cop policeman policewoman detective firefighter fireman "
    "lifeguard lawyer attorney paralegal judge accountant bookkeeper banker broker trader analyst consultant manager "
    "director ceo cto cfo founder entrepreneur owner boss supervisor secretary assistant receptionist clerk cashier "
    "salesman saleswoman salesperson realtor agent therapist psychologist psychiatrist counselor counsellor "
    "social-worker scientist biologist chemist physicist mathematician statistician economist historian librarian "
    "archivist curator researcher technician tech translator interpreter linguist musician singer songwriter drummer "
    "guitarist pianist violinist composer producer dj dancer actor actress comedian model athlete coach trainer "
    "referee player runner janitor cleaner maid housekeeper nanny babysitter homemaker housewife househusband retiree "
    "veteran intern apprentice freelancer volunteer pastor priest nun minister rabbi imam monk missionary tailor "
    "seamstress hairdresser barber stylist beautician esthetician jeweler jeweller blacksmith locksmith postman "
    "mailman courier steward stewardess administrator sysadmin admin strategist specialist coordinator planner "
    "recruiter marketer copywriter animator filmmaker cinematographer videographer gamer geologist astronomer "
    "astronaut optometrist midwife caregiver carer hygienist chiropractor masseuse zookeeper beekeeper fisherman "
    "hunter miner logger lumberjack surveyor inspector auditor actuary politician diplomat ambassador mayor senator "
    "instructor educator aide associate representative operator dispatcher laborer labourer worker handyman "
    "landscaper painter sculptor potter magician clown mime acrobat wrestler boxer swimmer skater jockey golfer "
    "cyclist dietitian nutritionist radiologist cardiologist pediatrician oncologist dermatologist anesthesiologist "
    "neurologist podiatrist phlebotomist hacker scholar academic executive stockbroker paleontologist archaeologist "
    "anthropologist sociologist botanist zoologist ecologist meteorologist oceanographer sommelier brewer winemaker "
    "butler concierge head headteacher headmaster headmistress postie postwoman bricklayer plasterer joiner tiler "
    "decorator glazier scaffolder lorry-driver cabbie bus-driver tram-driver train-driver conductor copilot solicitor "
    "barrister magistrate conveyancer notary estate-agent underwriter treasurer coo vp quant physio physiotherapist "
    "osteopath optician radiographer sonographer anaesthetist obstetrician gp registrar orthodontist "
    "nurse-practitioner doula undertaker mortician embalmer coroner farmhand shepherd gamekeeper groundskeeper "
    "groundsman caretaker custodian picker packer forklift-driver machinist toolmaker fitter millwright foreman "
    "stonemason luthier bookbinder weaver upholsterer cobbler goldsmith silversmith glassblower tattooist piercer "
    "stage-manager roadie soundman playwright screenwriter lyricist puppeteer cartoonist columnist proofreader "
    "ghostwriter publicist lobbyist councillor councilman mp civil-servant bouncer bodyguard prison-officer warden "
    "croupier dealer bookie auctioneer appraiser buyer merchandiser shopkeeper grocer greengrocer fishmonger barman "
    "barmaid publican landlord distiller cheesemaker forager trainee temp teaching-assistant phd undergraduate "
    "postgraduate grad webmaster devops sre pentester data-scientist taxidermist plumber's porter orderly stablehand "
    "groom farrier saddler trawlerman docker stevedore engraver printer typesetter projectionist usher bellboy valet "
    "chauffeur cabdriver childminder au-pair chaplain verger vicar curate deacon bishop organist choirmaster cellist "
    "violist flautist trumpeter saxophonist bassist vocalist rapper busker juggler stuntman understudy costumier "
    "milliner watchmaker clockmaker audiologist dietician paediatrician haematologist pathologist microbiologist "
    "virologist immunologist geneticist biochemist neuroscientist astrophysicist seismologist volcanologist "
    "hydrologist cartographer"
)
KINDS = words(
    "vegan vegetarian pescatarian christian catholic muslim jew buddhist hindu atheist agnostic mormon protestant "
    "lutheran baptist sikh pagan introvert extrovert ambivert mom mother dad father parent grandma grandmother "
    "grandpa grandfather widow widower twin bachelor feminist democrat republican liberal conservative libertarian "
    "socialist minimalist perfectionist workaholic homebody bookworm foodie nerd geek insomniac smoker nonsmoker "
    "non-smoker diabetic celiac alcoholic hiker climber surfer collector traveler traveller reader woman man girl boy "
    "guy female male teenager teen adult millennial boomer immigrant expat american canadian brit texan californian "
    "londoner leo aries taurus gemini cancer virgo libra scorpio sagittarius capricorn aquarius pisces lefty redhead "
    "brunette blonde blond orphan citizen refugee native survivor fan lover person owl bird mum stepmom stepdad "
    "godmother godfather newlywed cosplayer golfer runner swimmer cyclist gymnast cheerleader quarterback pacifist "
    "environmentalist activist monogamist enthusiast buff addict junkie eater drinker sleeper riser snowboarder skier "
    "knitter birder birdwatcher camper quaker anglican methodist presbyterian evangelical wiccan zoroastrian "
    "rastafarian baha'i satanist humanist leftie teetotaller teetotaler recluse hermit hypochondriac kleptomaniac "
    "hoarder germaphobe technophobe luddite communist anarchist marxist tory monarchist royalist unionist remainer "
    "brexiteer gooner stepfather stepmother stepparent grandparent great-grandmother triplet amputee paraplegic "
    "carrier haemophiliac epileptic asthmatic coeliac dyslexic narcoleptic sleepwalker non-drinker ex-smoker ex-con "
    "veteran pensioner oap graduate dropout alumnus alumna undergrad backpacker nomad vagabond homeowner landlord "
    "tenant renter commuter twitcher trainspotter angler rambler hillwalker mountaineer caver potholer bellringer "
    "larper gamer speedrunner audiophile cinephile bibliophile polyglot polymath vaper stoner goth punk emo metalhead "
    "raver hippie yogi sailor rower skydiver biker petrolhead scouser geordie brummie cockney mancunian glaswegian "
    "dubliner yorkshireman aussie kiwi teetotal supporter skeptic pessimist optimist voter donor sceptic"
)
# "I'm a …" that tells nothing that lasts, or that is only played.
NO_KIND = words(
    "bit little lot mess fool idiot genius failure loser winner fighter believer goner fraud joke wreck monster ghost "
    "vampire wizard witch elf dwarf orc king queen prince princess knight pirate dragon god goddess robot alien ninja "
    "superhero spy ranger rogue paladin bard warlock mage sorcerer assassin werewolf zombie demon angel unicorn potato "
    "human ai bot disaster burden beginner newbie noob keeper sucker member part stranger customer user visitor guest "
    "procrastinator worrier sinner liar nobody somebody bad good dreamer rambler traitor hero"
)
# An adjective with "I am" that lasts.
STATES_OF = words(
    "vegan vegetarian pescatarian married single divorced engaged widowed separated retired unemployed self-employed "
    "pregnant left-handed right-handed ambidextrous diabetic asthmatic gay lesbian bisexual bi straight queer trans "
    "transgender nonbinary non-binary asexual pansexual bilingual trilingual multilingual colorblind color-blind "
    "colourblind deaf blind dyslexic autistic neurodivergent celiac coeliac epileptic anemic jewish muslim christian "
    "catholic buddhist hindu atheist agnostic mormon religious introverted extroverted lactose-intolerant gluten-free "
    "shy outgoing tall short bald blonde blond ginger homeschooled disabled hispanic latino latina black white asian "
    "biracial mixed sober nearsighted near-sighted farsighted short-sighted shortsighted adopted childless tattooed "
    "claustrophobic arachnophobic monogamous polyamorous spiritual underweight overweight bipolar semi-retired "
    "freelance wheelchair-bound nocturnal childfree mute veggie teetotal colour-blind dyspraxic anaemic schizophrenic "
    "paraplegic quadriplegic agoraphobic genderfluid agender intersex cis aromantic poly celibate protestant sikh "
    "pagan orthodox anglican baptist methodist lutheran evangelical secular infertile orphaned homeless "
    "immunocompromised insomniac child-free bearded long-sighted far-sighted hard-of-hearing tone-deaf hypermobile "
    "estranged housebound musical sporty athletic superstitious squeamish frugal minimalist lefthanded double-jointed "
    "freckled red-headed redheaded brunette naturalised naturalized undocumented circumcised hyperactive clumsy "
    "forgetful disorganised disorganized flexitarian kosher halal dairy-free stateless working-class middle-class "
    "upper-class american-born foreign-born"
)
NATIONS = words(
    "american canadian mexican british english scottish welsh irish french german dutch belgian swiss austrian italian "
    "spanish portuguese greek swedish norwegian danish finnish icelandic polish czech slovak hungarian romanian "
    "bulgarian serbian croatian slovenian bosnian albanian macedonian ukrainian russian belarusian lithuanian latvian "
    "estonian turkish iranian persian iraqi syrian lebanese israeli palestinian jordanian saudi egyptian moroccan "
    "algerian tunisian libyan ethiopian kenyan nigerian ghanaian somali ugandan tanzanian african indian pakistani "
    "bangladeshi nepali chinese taiwanese japanese korean vietnamese thai cambodian filipino filipina indonesian "
    "malaysian singaporean australian brazilian argentinian argentine chilean peruvian colombian venezuelan cuban "
    "jamaican haitian dominican bolivian ecuadorian guatemalan honduran salvadoran uruguayan european latvian maltese "
    "cypriot armenian georgian azerbaijani kazakh afghan mongolian kiwi aussie scandinavian puerto-rican tibetan "
    "hawaiian cajun cherokee navajo"
)
LANGUAGES = words(
    "english french german dutch italian spanish portuguese greek swedish norwegian danish finnish icelandic polish "
    "czech slovak hungarian romanian bulgarian serbian croatian slovenian albanian ukrainian russian lithuanian "
    "latvian estonian turkish farsi persian arabic hebrew hindi urdu bengali punjabi tamil telugu gujarati nepali "
    "mandarin cantonese chinese japanese korean vietnamese thai khmer tagalog filipino indonesian malay swahili "
    "amharic yoruba zulu afrikaans latin esperanto welsh irish gaelic catalan basque asl braille yiddish hawaiian "
    "klingon maltese"
)
CODE = words(
    "python java javascript typescript rust go golang c c++ c# ruby php swift kotlin scala haskell sql html css r "
    "matlab perl lua julia cobol fortran photoshop excel blender linux react unity unreal figma illustrator autocad "
    "solidworks latex"
)
PLACES = words(
    "u.s usa us uk america england scotland wales ireland canada mexico france germany italy spain portugal greece "
    "sweden norway denmark finland iceland poland hungary romania ukraine russia turkey israel egypt morocco kenya "
    "nigeria ghana ethiopia india pakistan nepal china japan korea vietnam thailand cambodia philippines indonesia "
    "bali malaysia singapore australia brazil argentina chile peru colombia cuba jamaica bahamas hawaii europe asia "
    "africa alaska alabama arizona arkansas california colorado connecticut delaware florida georgia idaho illinois "
    "indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri "
    "montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington "
    "wisconsin wyoming london paris berlin rome madrid barcelona amsterdam vienna prague dublin lisbon athens moscow "
    "tokyo kyoto osaka beijing shanghai seoul bangkok delhi mumbai sydney melbourne toronto vancouver montreal chicago "
    "boston seattle portland austin dallas houston denver miami atlanta philadelphia phoenix detroit nashville orlando "
    "vegas nyc manhattan brooklyn edinburgh glasgow manchester liverpool leeds bristol milan venice florence naples "
    "munich hamburg zurich geneva brussels oslo stockholm copenhagen helsinki warsaw budapest istanbul dubai cairo "
    "disneyland"
)
PLACE_PAIRS = words(
    "new north south west east san los las puerto costa sri hong saudi united cape el rio buenos st great"
)

# ── what people have, do and want ────────────────────────────────────────────────────────────────

AILMENTS = words(
    "asthma diabetes adhd add anxiety depression arthritis epilepsy migraines migraine insomnia celiac coeliac eczema "
    "psoriasis allergies allergy autism dyslexia ocd ptsd hypertension anemia tinnitus cancer lupus fibromyalgia "
    "scoliosis crohn's ibs narcolepsy bipolar vertigo hypothyroidism endometriosis pcos astigmatism claustrophobia "
    "arachnophobia intolerance sclerosis syndrome disorder disease disability condition pacemaker dementia "
    "alzheimer's hemophilia parkinson's glaucoma gout rosacea anorexia aphantasia tourette's asperger's hearing "
    "cataracts fibro me/cfs cfs copd ms hiv aids hepatitis leukaemia leukemia lymphoma melanoma diverticulitis "
    "colitis ulcer ulcers anaemia haemophilia sciatica osteoporosis osteoarthritis dyspraxia dyscalculia synaesthesia "
    "synesthesia prosopagnosia agoraphobia emetophobia trypophobia hayfever schizophrenia bulimia hernia gallstones "
    "angina arrhythmia pots lyme raynaud's reflux gerd apnea apnoea neuropathy hypothyroid hyperthyroidism pressure "
    "cholesterol phobia impediment stammer stutter stoma implant prosthesis hypermobility eds cptsd bpd hashimoto's "
    "vitiligo alopecia long-covid crohn tourette parkinson alzheimer hashimoto raynaud asperger meniere bronchitis "
    "emphysema thrombosis aneurysm fibroids cirrhosis dermatitis palsy dystrophy spina-bifida paralysis neuralgia "
    "tendonitis tendinitis bursitis"
)
BELONGINGS = words(
    "tub car truck van minivan suv jeep tesla bike bicycle motorcycle motorbike scooter boat yacht house home "
    "apartment flat condo cabin cottage farm ranch garden greenhouse pool piano guitar violin drums ukulele telescope "
    "camera drone tattoo tattoos piercing piercings collection business company shop store bakery restaurant cafe blog "
    "channel podcast website startup studio workshop garage land acre acres record records vinyl laptop computer pc "
    "console playstation ps5 ps4 xbox switch kindle ipad iphone android macbook vespa camper rv caravan treehouse "
    "trailer aquarium beard mustache glasses braces dreadlocks freckles dimples hair eyes degree diploma phd masters "
    "master's bachelor's bachelors mba license licence certificate job internship scholarship passport visa "
    "citizenship sweet-tooth tooth family pet pets fear phobia passion mortgage corvette mustang harley honda toyota "
    "ford bmw airbnb timeshare vineyard hottub sauna treadmill plot orchard coop motorhome campervan narrowboat "
    "houseboat canoe kayak surfboard skateboard snowboard tractor allotment shed conservatory pond fireplace cello "
    "flute clarinet trumpet saxophone banjo bass keyboard synth synthesizer drumkit turntable turntables typewriter "
    "loom kiln 3d-printer lathe desktop gpu rig server homelab nas chromebook thinkpad surface deck nintendo ps3 wii "
    "vr headset oculus quest smartwatch garmin fitbit air-fryer oven smoker grill espresso wheelchair cane prosthetic "
    "pacemaker stutter stammer lisp accent scar scars birthmark dual nationality permit gcse gcses a-levels doctorate "
    "black-belt belt stall etsy newsletter practice side-hustle savings pension loan debt debts overdraft employees "
    "employee staff apprentice tenants vans lodger cleaner nickname twin roommate hobby bungalow terrace loft duplex "
    "mansion croft smallholding paddock stable stables hives beehive beehives terrarium tank allergy tv television "
    "smartphone dishwasher microwave dryer projector amp amplifier synths record-player jukebox arcade"
)
SKILLS = words(
    "play speak cook bake swim drive sing dance code program knit crochet ski snowboard skate surf sew draw paint "
    "juggle whistle type read write ride sail fly weld carve sculpt dive garden fish hunt box wrestle fence climb "
    "translate sign yodel beatbox rap improvise understand lipread weave touch-type salsa tango freestyle skateboard "
    "backflip"
)
# Simple present of these is a habit or a lasting trait. Other verbs need a word like "usually" beside them.
HABITS = words(
    "collect knit crochet garden paint code program volunteer commute meditate smoke vape ski snowboard surf skate "
    "hike camp fish hunt jog sew bake blog stream babysit foster coach mentor tutor brew breed sculpt dance sing swim "
    "cycle backpack wear own drive dive journal vlog kayak sail weave quilt woodwork skateboard rollerblade scrapbook "
    "birdwatch busk"
)
OFTEN = words(
    "always usually often sometimes rarely regularly frequently occasionally normally typically mostly seldom generally"
)
TEAMS_AND_TUNES = words(
    "piano guitar violin viola cello bass drums flute clarinet saxophone sax trumpet trombone harp ukulele banjo "
    "harmonica accordion organ keyboard keyboards mandolin oboe bassoon tuba recorder bagpipes synth percussion fiddle "
    "lute sitar kazoo marimba"
)
SPORTS = words(
    "soccer football basketball baseball tennis golf hockey volleyball rugby cricket badminton softball lacrosse chess "
    "poker bridge go squash pickleball table-tennis ping-pong water-polo polo billiards pool darts dnd d&d dungeons "
    "sports video-games videogames pokemon minecraft scrabble mahjong frisbee board-games paintball rugby bingo "
    "netball handball curling cards checkers backgammon"
)
# A goal lasts when it begins with one of these.
AIMS = words(
    "do learn visit travel become move study retire graduate adopt publish own climb hike lose quit save improve "
    "master pursue attend join launch earn compete return emigrate explore buy open build write run finish start live "
    "work teach marry be get have go see own become apply qualify propose settle relocate speak expand complete "
    "volunteer tour skydive backpack renovate pass record major specialize swim bike cycle raise foster train play "
    "sell paint make read try stop cut reach retrain convert emigrate divorce propose"
)
# … and these need the right object, because they are said of the next minute as well.
AIM_OBJECTS: dict[str, frozenset[str]] = {
    "do": words("phd masters master's degree mba doctorate apprenticeship marathon ironman triathlon"),
    "buy": words(
        "house home car truck boat land apartment flat condo farm motorcycle bike property cabin ring van piano guitar "
        "rv"
    ),
    "open": words(
        "café coffee bookstore bakery restaurant cafe shop store business studio gym bar school practice clinic "
        "gallery bookstore brewery salon bookshop"
    ),
    "build": words("house home cabin boat treehouse greenhouse company business family shed computer pc career deck"),
    "write": words("novel book memoir screenplay cookbook autobiography thesis dissertation trilogy"),
    "run": words("marathon half-marathon business 5k 10k ultramarathon race company bakery restaurant office half"),
    "finish": words("degree school college novel book phd thesis marathon university dissertation masters master's"),
    "start": words(
        "business company family podcast blog career school college university degree channel band charity nonprofit "
        "bakery garden startup training phd"
    ),
    "get": words(
        "into married degree engaged dog cat puppy kitten fit shape healthy healthier promoted promotion license "
        "licence phd masters master's tattoo divorced certified pregnant pilot's job citizenship scholarship visa "
        "bachelor's bachelors mba black pet horse"
    ),
    "have": words("kids children baby family child wedding farm career dog cat son daughter"),
    "see": words("lights northern aurora world pyramids eiffel wall everest grand"),
    "make": words("living film movie movies films documentary music album difference millions"),
    "play": words("professionally professional guitar piano violin drums college pro nba nfl"),
    "raise": words("kids children chickens family goats"),
    "train": words("marathon triathlon"),
    "sell": words("house car paintings art business"),
    "paint": words("professionally"),
    "record": words("album"),
    "pass": words("exam bar boards driving"),
    "read": words("books"),
    "try": words("skydiving surfing scuba bungee"),
    "stop": words("smoking drinking"),
    "cut": words("sugar meat carbs alcohol"),
    "teach": words("english school kids children abroad yoga college university math high kindergarten"),
    "reach": words("summit peak"),
    "join": words("army navy force marines peace police band gym team club military choir"),
    "save": words("money house car trip up wedding enough retirement college"),
    "return": words("school college university work"),
    "complete": words("degree marathon phd masters triathlon course"),
    "cycle": words("across around through"),
    "bike": words("across around through"),
    "swim": words("channel across"),
    "own": words(
        "vineyard cottage cafe café bookshop pub island narrowboat house home business restaurant bakery "
        "farm company dog cat horse land shop car boat ranch store"
    ),
}
# Nouns of the talk itself: liking them is no taste.
OF_THE_TALK = words(
    "idea ideas way sound sounds fact part plan concept look looks ending picture photo answer answers response reply "
    "suggestion suggestions advice style approach point question questions name explanation description option options "
    "thought attitude enthusiasm spirit energy vibe one ones version direction first second last latter former other "
    "rest detail details title design result results conversation chat talk sentiment confidence joke twist analogy "
    "proposal story sense humor rhyme image summary tone wording phrasing compliment offer"
)
NOW = words("now tonight today tomorrow later minute moment sec second bed asap instantly please again immediately")
