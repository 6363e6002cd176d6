"""How relationships are said in English: by a noun ("Tam's sister"), a verb ("serves"), or a verb that is suffered.

Each gives the type under which a tie is kept, and in which direction. Start at `NOUNS`, `VERBS`, `SUFFERED`, `PHRASES`.
"""

# A is the … of B: what A is to B.
NOUNS = {
    "brother": "brother of", "half-brother": "brother of", "stepbrother": "brother of", "sister": "sister of",
    "half-sister": "sister of", "stepsister": "sister of", "sibling": "sibling of", "twin": "sibling of",
    "father": "parent of", "mother": "parent of", "parent": "parent of", "stepfather": "parent of",
    "stepmother": "parent of", "dad": "parent of", "mum": "parent of", "mom": "parent of",
    "son": "child of", "daughter": "child of", "child": "child of", "stepson": "child of", "stepdaughter": "child of",
    "heir": "heir of", "heiress": "heir of", "grandfather": "grandparent of", "grandmother": "grandparent of",
    "grandson": "grandchild of", "granddaughter": "grandchild of", "grandchild": "grandchild of",
    "uncle": "uncle of", "aunt": "aunt of", "nephew": "nephew of", "niece": "niece of", "cousin": "cousin of",
    "husband": "married to", "wife": "married to", "spouse": "married to", "widow": "married to",
    "widower": "married to", "consort": "married to", "bride": "married to",
    "fiance": "engaged to", "fiancee": "engaged to", "betrothed": "engaged to", "lover": "loves",
    "sweetheart": "loves", "mistress": "loves",
    "friend": "friend of", "ally": "ally of", "enemy": "enemy of", "foe": "enemy of", "nemesis": "enemy of",
    "rival": "rival of", "leader": "leads", "head": "leads", "chief": "leads", "captain": "leads", "commander": "leads",
    "founder": "founded", "boss": "leads", "ruler": "rules", "king": "rules", "queen": "rules", "lord": "rules",
    "lady": "rules", "duke": "rules", "duchess": "rules", "baron": "rules", "baroness": "rules", "mayor": "rules",
    "governor": "rules", "emperor": "rules", "empress": "rules", "regent": "rules", "member": "member of",
    "agent": "works for", "servant": "serves", "vassal": "serves", "steward": "serves", "bodyguard": "serves",
    "champion": "serves", "squire": "serves", "henchman": "serves", "spy": "works for", "informant": "works for",
    "apprentice": "student of", "student": "student of", "pupil": "student of", "disciple": "student of",
    "teacher": "teacher of", "mentor": "teacher of", "tutor": "teacher of", "master": "teacher of",
    "owner": "owns", "keeper": "keeps", "guardian": "guards", "maker": "made", "creator": "made", "murderer": "killed",
    "killer": "killed", "slayer": "killed", "prisoner": "prisoner of", "hostage": "prisoner of", "employer": "employs",
    "worshipper": "worships", "priest": "worships", "priestess": "worships", "partner": "partner of",
    "capital": "capital of",
}  # fmt: skip
# Both ways are the same.
SYMMETRIC = frozenset(
    (
        "sibling of",
        "cousin of",
        "married to",
        "engaged to",
        "friend of",
        "ally of",
        "enemy of",
        "rival of",
        "partner of",
    )
)
# Said of two at once: "Orrin and Tamsin are …".
TOGETHER = {
    "married": "married to", "wed": "married to", "engaged": "engaged to", "betrothed": "engaged to",
    "enemies": "enemy of", "foes": "enemy of", "rivals": "rival of", "allies": "ally of", "allied": "ally of",
    "friends": "friend of", "siblings": "sibling of", "twins": "sibling of", "brothers": "brother of",
    "sisters": "sister of", "cousins": "cousin of", "partners": "partner of", "lovers": "loves", "at war": "enemy of",
    "brother and sister": "sibling of", "husband and wife": "married to", "man and wife": "married to",
    "in love": "loves",
}  # fmt: skip
# A … B.
VERBS = {
    "serves|served|serve|serving": "serves",
    "leads|led|lead|leading|commands|commanded|commanding|heads|headed|runs|ran": "leads",
    "founded|founds": "founded",
    "owns|owned|possesses|possessed": "owns",
    "rules|ruled|ruling|governs|governed": "rules",
    "killed|kills|murdered|murders|slew|slain|assassinated|beheaded|poisoned|executed|strangled": "killed",
    "loves|loved|adores|adored": "loves",
    "hates|hated|despises|despised|loathes|loathed": "enemy of",
    "married|marries|wed|weds": "married to",
    "employs|employed|hired|hires": "employs",
    "made|makes|forged|forges|built|builds|created|creates|crafted|carved|painted|wrote|invented|wove": "made",
    "hunts|hunted|hunting|pursues|pursued|stalks|stalked|stalking": "hunts",
    "betrayed|betrays": "betrayed",
    "joined|joins": "member of",
    "guards|guarded|guarding|protects|protected|protecting": "guards",
    "worships|worshipped|worshiped|venerates": "worships",
    "teaches|taught|trained|trains|mentors|mentored": "teacher of",
    "raised|fathered|bore": "parent of",
    "stole|steals": "stole",
    "imprisoned|imprisons|captured|captures|kidnapped|abducted": "captured",
    "rescued|rescues|saved|saves": "saved",
    "carries|wields|wielded": "owns",
    "fears|feared": "fears",
    "trusts|trusted": "trusts",
    "owes": "owes",
}  # fmt: skip
# A is … by B, and so B … A.
SUFFERED = {
    "led|commanded|headed|run": "leads",
    "founded": "founded",
    "owned|possessed": "owns",
    "ruled|governed": "rules",
    "killed|murdered|slain|assassinated|beheaded|poisoned|executed|strangled|shot": "killed",
    "loved|adored": "loves",
    "hated|despised": "enemy of",
    "employed|hired": "employs",
    "made|forged|built|created|crafted|carved|painted|written|invented|woven": "made",
    "hunted|pursued|stalked": "hunts",
    "betrayed": "betrayed",
    "guarded|protected": "guards",
    "worshipped|worshiped": "worships",
    "taught|trained|mentored": "teacher of",
    "raised": "parent of",
    "stolen": "stole",
    "imprisoned|captured|kidnapped|abducted": "captured",
    "rescued|saved": "saved",
}  # fmt: skip
# A … B, in several words.
PHRASES = {
    "works for|worked for|is working for|is employed by|is in the pay of|spies for|answers to|reports to": "works for",
    "lives in|lived in|lives at|lives on|dwells in|resides in|resides at|makes (?:his|her|their) home in": "lives in",
    "comes from|hails from|was born in|is from": "comes from",
    "is located in|is located on|is located at|is found in|is situated in|lies in|lies on|lies at|lies near"
    "|lies beneath|lies under|is hidden in|is buried in|is kept in|is buried under|is hidden under"
    "|is hidden beneath": "located in",
    "is allied with|is allied to|is in league with|sides with|sided with|fights for": "ally of",
    "is at war with|is feuding with|fights against|is sworn against": "enemy of",
    "is married to|is wed to": "married to",
    "is engaged to|is betrothed to": "engaged to",
    "is in love with|fell in love with": "loves",
    "is loyal to|swore fealty to|is sworn to|swore an oath to|is in the service of|bends the knee to": "serves",
    "is part of|is a part of|is one of": "member of",
    "looks after|watches over|keeps watch over": "guards",
    "is the capital of": "capital of",
    "studied under|studies under|learned from|learnt from": "student of",
    "is held by|is imprisoned by": "prisoner of",
    "is related to|is kin to": "kin of",
    "is friends with|is a friend to": "friend of",
    "is afraid of|is scared of": "fears",
    "prays to": "worships",
}  # fmt: skip
# Kept the other way round.
TURNED = {"employs": "works for"}
