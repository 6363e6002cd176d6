"""English verbs whose past is not made with "-ed": the past form and its base, the participle and its base."""


def _by_form(text: str) -> dict[str, str]:
    return {form: base for form, _, base in (each.partition(":") for each in text.split())}


PASTS = _by_form(
    "was:be were:be had:have did:do went:go got:get came:come grew:grow bought:buy became:become met:meet "
    "quit:quit left:leave lost:lose broke:break saw:see ran:run wrote:write drove:drive won:win built:build "
    "made:make took:take gave:give spoke:speak sang:sing fell:fall knew:know thought:think felt:feel taught:teach "
    "spent:spend learnt:learn ate:eat drank:drink swam:swim rode:ride flew:fly sold:sell told:tell said:say "
    "read:read began:begin found:find kept:keep drew:draw beat:beat chose:choose forgot:forget heard:hear "
    "hurt:hurt led:lead paid:pay put:put sent:send slept:sleep stood:stand understood:understand woke:wake "
    "wore:wear fought:fight caught:catch brought:bring died:die dyed:dye used:use shut:shut cut:cut hit:hit "
    "split:split held:hold hid:hide laid:lay meant:mean rang:ring sank:sink shook:shake shot:shoot stole:steal "
    "stuck:stick swore:swear threw:throw tore:tear bit:bite blew:blow dug:dig dreamt:dream dealt:deal bred:breed "
    "fled:flee froze:freeze hung:hang lent:lend overcame:overcome rebuilt:rebuild babysat:babysit forgave:forgive "
    "sat:sit rose:rise shone:shine burnt:burn lit:light underwent:undergo wept:weep crept:creep swept:sweep "
    "knelt:kneel leapt:leap spilt:spill spelt:spell smelt:smell dwelt:dwell bent:bend clung:cling leant:lean "
    "mistook:mistake shrank:shrink slid:slide slung:sling spun:spin sprang:spring stank:stink strode:stride "
    "strove:strive stung:sting swung:swing withdrew:withdraw wove:weave wrung:wring arose:arise awoke:awake "
    "bore:bear sought:seek struck:strike spat:spit sped:speed fed:feed bled:bleed bade:bid flung:fling "
    "foresaw:foresee misread:misread outgrew:outgrow overtook:overtake retook:retake slew:slay slit:slit "
    "trod:tread undid:undo upheld:uphold withheld:withhold resat:resit reran:rerun"
)
# … where it is another word than the past form.
PARTICIPLES = _by_form(
    "broken:break chosen:choose been:be worn:wear driven:drive given:give eaten:eat taken:take done:do gotten:get "
    "grown:grow begun:begin ridden:ride fallen:fall spoken:speak written:write sung:sing flown:fly swum:swim "
    "known:know gone:go seen:see torn:tear bitten:bite stolen:steal forgotten:forget hidden:hide frozen:freeze "
    "beaten:beat sworn:swear thrown:throw undergone:undergo overcome:overcome become:become run:run come:come"
)
_WITH_OWN_PARTICIPLE = frozenset(PARTICIPLES.values())


def has_own_participle(past: str) -> bool:
    """ "drove" is only ever a past form; "bought" may be either."""
    return PASTS.get(past) in _WITH_OWN_PARTICIPLE
