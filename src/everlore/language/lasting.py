"""Word lists for what lasts and what passes: verbs, adjectives and nouns by class.

Grammar alone cannot tell that deafness stays and hunger goes, so these say it.
"""

from everlore.language.words import DAYS, MONTHS, SKILLS, STATES_OF, phrases, words

# ── what passes ──────────────────────────────────────────────────────────────────────────────────

# Feelings and states of the moment, after "I am".
MOODS = words(
    "tired exhausted hungry thirsty starving sleepy sorry ready confused glad stuck late early bored excited happy "
    "sad angry mad annoyed upset worried nervous anxious scared afraid stressed overwhelmed frustrated disappointed "
    "surprised shocked impressed amazed curious interested grateful thankful relieved hopeful sure certain unsure "
    "positive aware able unable busy free available done finished fine good great okay ok alright well better worse "
    "bad awful terrible sick ill drunk hungover high awake asleep back here there home away gone lost fed jealous "
    "proud embarrassed ashamed guilty lonely alone cold hot warm freezing sweating soaked wet comfy comfortable "
    "uncomfortable cozy full stuffed broke desperate keen pumped hyped stoked thrilled delighted ecstatic gutted "
    "devastated heartbroken crushed torn screwed doomed toast dead dying knackered shattered wiped drained spent "
    "cross livid furious fuming raging pissed miffed salty moody grumpy cranky hangry weird strange odd serious "
    "kidding joking right wrong correct mistaken honest fair clear welcome lucky blessed fortunate unlucky touched "
    "moved flattered honoured honored humbled inspired intrigued fascinated captivated tempted inclined willing "
    "reluctant hesitant going crying laughing smiling loving enjoying wondering thinking hoping guessing assuming "
    "speechless stunned baffled puzzled perplexed clueless hopeless useless helpless restless calm relaxed chill "
    "chilled cool hyper wired buzzing groggy dizzy nauseous queasy sore achy stiff rusty tense impatient patient "
    "eager enthusiastic optimistic pessimistic sceptical skeptical doubtful convinced confident satisfied content "
    "pleased dissatisfied unhappy miserable depressed homesick nostalgic emotional sentimental sensitive vulnerable "
    "safe unsafe trapped tied caught locked outside inside downstairs upstairs offline online afk reading listening "
    "watching waiting obliged forced required allowed permitted bricking pooped beat frazzled rubbish cheesed chuffed "
    "buzzin peckish parched ravenous famished blown floored gobsmacked mortified petrified horrified appalled "
    "disgusted offended insulted hurt wounded rushed swamped slammed snowed preoccupied distracted focused engrossed "
    "hooked addicted perfect amazing awesome fantastic wonderful brilliant unwell poorly rough shaky jittery"
)
# Saying and thinking: about the talk and not about a life.
THINKING = words(
    "think guess mean hope know feel see say ask agree wonder remember promise apologise apologize thank swear "
    "believe suppose assume imagine reckon figure doubt bet wish understand realise realize notice recall forget "
    "hear notice tell call mention repeat admit confess confirm deny expect suspect disagree appreciate care "
    "consider seem sound look appear want need try let gotta start begin stop continue decide choose pick "
    "suggest recommend insist request beg reply respond answer explain describe clarify correct type paste post send "
    "show give bring put set turn click press open close check test debug run print return go come get got find lose "
    "miss wait stay sit stand lie laugh cry smile sigh nod shrug stare glance gasp die kill eat drink sleep happen "
    "mess screw owe deserve dare trust googled google search stumble end finish fail hit hate"
)
# Going on as somebody writes: "I'm making dinner", unlike "I'm learning Spanish".
PURSUITS = words(
    "study learn recover retrain attend date foster renovate restore volunteer teach coach mentor "
    "pursue major transition homeschool apprentice intern commute adopt babysit quit retire emigrate relocate graduate "
    "parent represent co-parent undergo convert job-hunt squat lodge remodel rebuild breed run-for detox"
)
# … and these need the right object beside them.
PURSUED: dict[str, frozenset[str]] = {
    "do": words("masters master's phd degree course apprenticeship a-levels gcses mba internship placement couch "
                "diploma residency bachelor's bachelors doctorate training certificate evening night law medicine "
                "teacher keto"),
    "write": words("book novel memoir thesis dissertation screenplay musical blog album cookbook phd play"),
    "build": words("house boat shed cabin company business startup app game robot treehouse extension career computer"),
    "work": words("as at for in nights part-time full-time towards remotely two freelance from"),
    "take": words("lessons classes course medication antidepressants meds sabbatical lithium insulin class statins hrt "
                  "testosterone oestrogen estrogen ssris gap maternity paternity leave"),
    "save": words("for up towards"),
    "get": words("into divorced married treatment chemo therapy evicted"),
    "have": words("baby chemo surgery twins treatment ivf operation affair"),
    "try": words("for conceive"),
    "start": words("school uni university college business job company chemo therapy ivf nursery kindergarten "
                   "apprenticeship masters phd family"),
    "run": words("marathon business company campaign shop"),
    "care": words("for"),
    "miss": words("finger fingers toe toes tooth teeth leg arm eye thumb"),
    "raise": words("kids children boys girls twins son daughter family goats chickens money by alone"),
    "rent": words("flat house room apartment place cottage studio in with from a-flat"),
    "expect": words("baby child twins girl boy first second third"),
    "leave": words("job school army company uni husband wife"),
    "buy": words("house flat home apartment boat farm land"),
    "sell": words("house flat business car boat"),
    "look": words("after"),
    "live": words("in with alone on off at"),
    "stay": words("in with"),
    "see": words("someone therapist guy girl somebody man woman psychologist counsellor psychiatrist"),
    "seek": words("asylum"),
    "apply": words("to for"),
    "lose": words("hearing sight eyesight hair"),
    "play": words("in for"),
    "grow": words("tomatoes vegetables chillies veg potatoes beard"),
    "go": words("deaf blind through bald grey gray vegan"),
    "serve": words("in as"),
    "make": words("film documentary album game movie"),
    "train": words("for to as"),
    "fight": words("cancer leukaemia leukemia"),
    "battle": words("cancer depression addiction"),
}  # fmt: skip
# Had for a moment, or had in the talk only.
PASSING_THINGS = words(
    "question questions query problem problems issue issues idea ideas feeling feelings clue thing things stuff reason "
    "reasons point points minute minutes moment second sec hour time times lot lots bit headache cold fever flu cough "
    "hangover meeting meetings doubt doubts chance choice option options trouble fun blast laugh look guess hunch "
    "thought thoughts suggestion request favor favour favourite plan plans bad good great nice rough long busy hard "
    "tough weird rest day night week weekend morning evening afternoon breakfast lunch dinner tea snack drink beer "
    "coffee nap shower bath break go try bug error errors exception task tasks homework assignment essay file files "
    "code function list string text paragraph sentence draft prompt dataset table data array input output message "
    "conversation chat talk argument fight row crush dream nightmare craving urge sense faith confidence hope fear "
    "wish patience energy strength courage power right access permission need desire interest respect sympathy pity "
    "luck everything something nothing anything one ones some any enough more less it them this that these those "
    "no such what whatever people someone somebody anyone total answer answers opinion opinions preference story "
    "stories news update secret confession announcement topic situation case example scenario concern concerns "
    "worry worries heart ears eye soul mind hand hands finger head memory recollection impression experience control "
    "say intention obligation duty deadline exam test quiz presentation essay room space money cash change faith "
    "character quest sword potion spell gold party guests company visitors mess pile stack load ton tons bunch "
    "couple handful few decision decisions dilemma suspicion theory gut vibe mood attack allergies tip tips "
    "recommendation recommendations cravings cramps stomach ache bellyache hiccups sniffles bug-report issue stitches"
)
# "my …" of the task at hand: what it does is no fact of a life.
OF_THE_TASK = words(
    "code function script program app query loop class method variable array list string file files folder essay "
    "paper draft paragraph sentence text email letter message question questions answer point idea guess thought "
    "thoughts homework assignment project presentation slides spreadsheet table data dataset model prompt input "
    "output result results error test tests build server database website page browser printer screen wifi internet "
    "connection keyboard autocorrect phone laptop computer pc mouse battery alarm recipe sauce soup cake dough plan "
    "character story novel poem song campaign party quest sword head brain mind heart eyes stomach mouth jaw feet "
    "legs soul patience mood day night week weekend morning life luck fault mistake bad turn favorite advice question "
    "apologies condolences pleasure goodness god word opinion take view understanding impression experience"
)
# Words of programs and games: what is done with them is done here and now.
OF_CODE = words(
    "file files database databases table tables array arrays exception error errors network regex function functions "
    "loop loops script scripts npm install branch commit server endpoint query dataframe dataset tuple class classes "
    "variable variables column columns row rows module package compiler dungeon quest goblin potion spell sword guild "
    "campaign castle tavern dragon troll npc level boss-fight hp mana loot inventory terminal console.log stack-trace"
)
NOWS = phrases(
    "right now, rn, tonight, today, at the moment, this morning, this afternoon, this evening, this minute, "
    "this second, atm, this instant, just now, again today, for a sec, for a minute, for a bit, yesterday, "
    "last night, tomorrow, in a minute, in a sec, in an hour, earlier, earlier today, the other day, all day, "
    "all night, all morning, this week, this weekend, so far today"
)
IDIOMS = phrases(
    "drive people, "
    "all the difference, a difference, a huge difference, a big difference, a great time, a good time, a blast, "
    "back of my head, left feet, just a number, from reality, with anticipation, nice things, to the idea, my own "
    "here, all ears, over the moon, up to my neck, fish to fry, born yesterday, eat a horse, a monster, the worst, the "
    "best, on fire, in stitches, on the fence, on the edge, at a loss, in the dark, on board, in trouble, a "
    "wreck, a mess, a genius, an idiot, a fool, a legend, a failure, a disaster, a riot, a nightmare, a saint, a god, "
    "a goddess, a machine, a zombie, a vampire, a potato, a ghost, a robot, in heaven, in hell, in love with this, on "
    "cloud nine, under the weather, out of my mind, losing my mind, losing it, going crazy, going insane, going mad, "
    "dying inside, dead inside, on my knees, at my wit, cup of tea, piece of cake, blue moon, in a nutshell, skin off "
    "my, heart of gold, my last nerve, up the wall, a million times, a thousand times, to the moon, out of here, in a "
    "pickle, in a rut, on the same page, over it, out of ideas, out of time, on the line, "
    "in the mood, in the zone, in the middle, on the way, on my way, about to, in a hurry, in a rush, on the phone, on "
    "the bus, on the train, at work, in bed, at home, at the office, in the office, on a call, in a meeting, at the "
    "airport, in town, on hold, on break, on holiday, on vacation, a bit of a, kind of a, sort of a, one of those, big "
    "fan of you, at this point, my own worst, a walking, a total, a complete, an absolute, a little teapot, old soul, "
    "open book, broken record, black sheep, ray of sunshine, hot mess, lost cause, third wheel, human being, the one "
    "who, a riot, in pieces, in tears, in shock, in awe, a bit much"
)

# ── what lasts ───────────────────────────────────────────────────────────────────────────────────

# Work in plain verbs: "I stack shelves at Asda" says where or for whom.
TOIL = words("deliver stack clean answer serve pack load operate supervise patrol install maintain inspect")
# These are moves of a game or a minute too: they need a word that says how often, or a sort of thing.
NEEDS_SORT = TOIL | words(
    "hold work use keep draw write read watch eat drink make build fix repair sell take do run play follow drive ride "
    "fly walk dance sing climb swim fish hunt see go get bake cook paint listen support share lead host judge roast "
    "trade practise practice grow raise can contract fence box perform carve pray believe wear attend train lift camp "
    "row sail fast edit avoid skip"
)
# Simple present of these, with the user as subject, tells what they do as a rule.
STANDING = (NEEDS_SORT - words("get go see walk")) | words(
    "speak collect teach own volunteer coach commute weigh vote rent manage chair organise organize represent "
    "translate interpret design develop program code breed brew farm compose direct produce restore mend sew knit "
    "crochet quilt weave sculpt photograph blog stream podcast tutor mentor babysit foster homeschool belong worship "
    "suffer identify meditate garden hike cycle surf ski skate drum busk rap dj wrestle sponsor subscribe invest smoke "
    "vape pilot captain live reside study major minor lodge kayak canoe dive snorkel birdwatch forage stargaze "
    "woodwork weld ferment pickle preserve herd shepherd milk beekeep groom walk-dogs tattoo moonlight freelance "
    "consult specialise specialize lecture research intern journal scrapbook reread umpire referee play-in sleepwalk "
    "snore lisp stutter stammer co-parent juggle moderate binge donate"
)
AGAIN = words(
    "daily weekly weekends weekend's everyday nightly mornings evenings afternoons nights mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays yearly monthly regularly annually professionally semi-professionally "
    "competitively religiously part-time full-time remotely"
)
# After "every" or "each": "every Christmas", unlike "every time".
UNITS = (MONTHS | DAYS) | words(
    "day morning evening night week weekend month year summer winter spring autumn fall christmas easter afternoon "
    "lunchtime season birthday payday other few two three four"
)
TIMES = phrases(
    "a week, a day, a month, a year, per week, on weekends, at weekends, as a hobby, for fun, for a living, per day, "
    "in my free, in my spare, on the side, once a, twice a, all the time, for breakfast, in the mornings, most days, "
    "for work, as a job, most weekends, most mornings, most nights, most evenings, in the summer, in summer, "
    "in winter, before bed, before work, after work, at night, day job, since i was, all year, year round"
)
# Adjectives of people that hold for years.
STAYING = STATES_OF
CURED = words("cancer-free debt-free smoke-free seizure-free")
# What somebody is in, on or at for long: "in a band", "on the board", "in a wheelchair".
STANDING_IN = words(
    "band choir orchestra army navy military marines reserves force police union wheelchair relationship club league "
    "team gang cult sorority fraternity care remission recovery therapy aa rehab hospice prison jail witness academia "
    "finance marketing sales tech construction hospitality retail education healthcare advertising hr insurance "
    "logistics publishing politics journalism law real-estate banking sixth college uni university grade year "
    "semester twenties thirties forties fifties sixties seventies eighties teens custody coma hospital shelter hostel "
    "recruitment procurement catering security nursing teaching engineering accounting accountancy consulting pharma "
    "biotech media film television fashion farming agriculture manufacturing transport shipping aviation government "
    "design research scouts guides cubs brownies cadets"
)
STANDING_ON = words(
    "shift shifts nights board committee council team medication meds antidepressants insulin benefits disability "
    "spectrum pill probation parole dialysis lithium statins hrt keto diet leave testosterone oestrogen estrogen "
    "methadone oxygen crutches ssris blood-thinners squad visa welfare warfarin metformin sertraline prozac zoloft "
    "adderall ritalin contract payroll jury blockers list thinners steroids painkillers opioids prednisone "
    "methotrexate biologics"
)
STANDING_AFTER = {
    "in": STANDING_IN,
    "on": STANDING_ON,
    "at": words("university uni college sixth art drama medical law grad seminary"),
    "off": words("work sick alcohol meds grid"),
}  # fmt: skip
BODY = words(
    "finger fingers toe toes thumb arm tooth teeth plate pin rod valve kidney knee knees back hip hips shoulder heart "
    "lung lungs hearing eyesight memory ankle wrist neck eye leg hand"
)
AILING = words("bad dodgy weak gammy trick prosthetic artificial glass missing one false poor terrible titanium metal")
# Events of a life. Empty: whatever follows; else one of the words must stand near.
EVENTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        words(
            "graduate divorce marry retire emigrate immigrate survive enlist enrol enroll convert adopt found "
            "resign co-found inherit propose relapse miscarry backpack emancipate fracture dislocate sprain quit "
            "publish study elope transition defect flee retrain visit"
        ),
        frozenset(),
    ),
    "see": words("live concert lights aurora eclipse"),
    "fight": words("in cancer"),
    "hand": words("notice"),
    "put": words("offer deposit notice"),
    "come": words("from to out"),
    "dye": words("hair"),
    "shave": words("head beard"),
    "take": words("up semester sabbatical gap redundancy"),
    "deploy": words("to"),
    "crash": words("car bike motorbike van truck lorry"),
    "serve": words("in on as army navy war years tours time sentence"),
    "major": words("in"),
    "minor": words("in"),
    "move": words("to from in out here back house together"),
    "grow": words("up"),
    "drop": words("out"),
    "finish": words("school degree uni university college phd masters master's marathon treatment chemo "
                    "thesis dissertation training apprenticeship residency high"),
    "flunk": words("out school college"),
    "fail": words("theory exam exams a-levels finals out bar driving"),
    "pass": words("finals away bar boards driving exam exams a-levels test theory away"),
    "win": words("award prize medal championship contest competition scholarship lottery tournament title league race "
                 "gold silver bronze grammy oscar nationals regionals cup match trophy case election"),
    "break": words("leg arm ankle wrist wrists foot hip collarbone back rib ribs nose neck elbow toe finger thumb knee "
                   "shoulder jaw hand up"),
    "tear": words("acl ligament tendon achilles rotator meniscus hamstring"),
    "lose": words("father mother dad mom mum brother sister husband wife son daughter parents grandmother grandfather "
                  "grandma grandpa nan gran dog cat leg house home baby pounds lbs kg kilos stone job hearing sight "
                  "friend uncle aunt cousin eye finger arm twin grandad granddad virginity everything licence license"),
    "start": words("gym company business startup blog podcast band charity school uni university college job learning "
                   "therapy hrt medication chemo testosterone estrogen oestrogen playing working career family"),
    "stop": words("going smoking drinking eating playing working vaping dieting gambling taking believing"),
    "leave": words("school home church army navy job uni university husband wife country company faith ex europe"),
    "join": words("army navy marines force military band gym club team choir church union police board company league "
                  "circus orchestra"),
    "get": words("keys permit remarried married engaged divorced promoted fired hired laid sacked made degree "
                 "masters phd diagnosed tattoo license licence diploma citizenship scholarship accepted job dog cat "
                 "puppy kitten into pregnant sober clean diagnosis mba visa pet horse residency evicted arrested "
                 "deported together custody offer place house flat apartment mortgage raise redundancy baptised "
                 "baptized sterilised ordained knighted certified belt pierced first braces bike car guitar piano "
                 "motorbike camper campervan kayak telescope allotment rescue"),
    "have": words("surgery baby stroke attack miscarriage daughter son transplant operation twins cancer abortion "
                  "hysterectomy vasectomy ivf breakdown bypass accident affair concussion leukaemia leukemia "
                  "meningitis polio tuberculosis malaria sepsis c-section appendix tonsils tumour tumor covid seizure "
                  "mastectomy chemo replacement"),
    "buy": words("house home car condo apartment flat boat truck motorcycle farm land motorbike van campervan guitar "
                 "piano bike cottage ring shop horse cabin camera kayak telescope narrowboat synth bungalow"),
    "sell": words("house car business company flat boat caravan farm motorbike van shop bike horse piano"),
    "write": words("book novel thesis memoir dissertation play musical album"),
    "run": words("marathon half-marathon marathons 10k 5k ultramarathon half ultra business shop company store pub "
                 "restaurant bakery farm for"),
    "do": words("ballet gymnastics judo karate taekwondo masters degree phd apprenticeship national marathon ironman "
                "triathlon erasmus a-levels military way camino time rehab tour tours gig course theatre drama "
                "athletics debate fencing bachelor's bachelors residency internship placement"),
    "climb": words("mount mt everest kilimanjaro mountain fuji rainier snowdon nevis blanc denali mountains"),
    "hike": words("trail way camino appalachian pct inca"),
    "walk": words("camino way trail"),
    "swim": words("channel"),
    "cycle": words("across from around through"),
    "travel": words("around across through to"),
    "tour": words("with"),
    "beat": words("cancer addiction leukaemia leukemia"),
    "battle": words("cancer addiction depression"),
    "give": words("birth up"),
    "learn": words("french spanish german piano guitar italian japanese drive swim english chinese russian knit to"),
    "meet": words("wife husband girlfriend boyfriend partner fiance fiancé fiancée president queen king"),
    "become": words("grandad granddad grandparent godmother godfather uncle aunt mp councillor mother father mom dad "
                    "parent citizen vegan vegetarian doctor nurse teacher manager grandmother grandfather grandma "
                    "grandpa lawyer pilot christian muslim buddhist catholic mum widow vet priest member us british"),
    "complete": words("degree marathon phd masters triathlon training course apprenticeship ironman"),
    "earn": words("degree phd masters master's black diploma bachelor's mba belt"),
    "train": words("as"),
    "qualify": words("as for"),
    "work": words("as at for in on with"),
    "live": words("in with abroad on through"),
    "intern": words("at for in with"),
    "coach": words("team basketball football soccer"),
    "teach": words("myself school english college high maths math history french abroad yoga at in"),
    "attend": words("college university school uni"),
    "spend": words("years year months childhood summer semester summers decade decades youth twenties thirties gap"),
    "compete": words("olympics championship national in"),
    "donate": words("kidney liver marrow"),
    "perform": words("at with"),
    "play": words("college professionally for semi-professionally violin piano rugby football hockey county cello "
                  "cricket guitar trumpet"),
    "discover": words("i allergic"),
    "split": words("up with"),
    "separate": words("from"),
    "escape": words("from"),
    "renovate": words("house cottage flat kitchen"),
    "apply": words("to for"),
    "celebrate": words("anniversary birthday"),
    "turn": words("vegan vegetarian pro down"),
    "go": words("vegan vegetarian blind deaf bald bankrupt sober"),
    "switch": words("to from"),
    "change": words("jobs careers majors name surname"),
    "name": words("son daughter dog cat him her after"),
    "bury": words("father mother dad mom mum brother sister husband wife son daughter nan gran dog cat grandmother"),
    "burn": words("out"),
    "raise": words("kids children by in daughter son"),
    "volunteer": words("at in for with"),
    "launch": words("business company startup podcast app"),
    "open": words("shop bakery restaurant cafe café studio business gym salon bar practice"),
    "close": words("shop bakery restaurant business café cafe"),
    "suffer": words("from stroke"),
    "sign": words("up lease contract"),
}  # fmt: skip
# Being able to is nothing here, only being unable says something.
SENSES = words("hear see walk smell taste digest have eat drink tell conceive")
SKILLS_WIDE = SKILLS | SENSES | words("cycle roller-skate cartwheel roll")
DURATION = words("year years month months decade decades childhood uni college school university since teens")
WHEN = (MONTHS | DAYS) | words(
    "christmas easter halloween thanksgiving ramadan summer autumn spring winter fall year month next"
)
PLANNED = words(
    "run do fly go start move visit travel retire graduate get have marry take leave return come see climb hike cycle "
    "walk emigrate relocate begin finish turn launch open attend defend compete sit host volunteer backpack spend stay "
    "join celebrate renew play perform"
)
# After "I was": what was done to somebody once, and stays with them.
STANDING_PAST = words(
    "born raised diagnosed homeschooled adopted fostered married divorced widowed vegan vegetarian expelled deported "
    "drafted conscripted stationed deployed educated brought bullied baptised baptized laid fired sacked evicted "
    "promoted hit struck christened named orphaned hospitalised hospitalized sectioned knighted elected shot stabbed "
    "mugged robbed bitten premature accepted offered shortlisted selected rejected banned published hired headhunted"
)
