"""Names of places so wide that a town may lie in them: "lives in Norway" and "lives in Oslo" can both be true.

No atlas: only what tells a country, a state or a continent from a town, so that neither retires the other.
"""

from everlore.domain.words import terms_of

_CONTINENTS = """
africa|asia|europe|australia|oceania|north america|south america|america|latin america|central america|antarctica
"""
_COUNTRIES = """
afghanistan|albania|algeria|andorra|angola|argentina|armenia|austria|azerbaijan|bahamas|bahrain|bangladesh|barbados
belarus|belgium|belize|benin|bhutan|bolivia|bosnia|botswana|brazil|brunei|bulgaria|burkina faso|burundi|cambodia
cameroon|canada|chad|chile|china|colombia|congo|costa rica|croatia|cuba|cyprus|czechia|czech republic|denmark|ecuador
egypt|el salvador|england|eritrea|estonia|ethiopia|fiji|finland|france|gabon|gambia|germany|ghana|great britain|britain
greece|greenland|guatemala|guinea|guyana|haiti|honduras|hungary|iceland|india|indonesia|iran|iraq|ireland|israel|italy
ivory coast|jamaica|japan|jordan|kazakhstan|kenya|korea|south korea|north korea|kosovo|kuwait|kyrgyzstan|laos|latvia
lebanon|lesotho|liberia|libya|liechtenstein|lithuania|madagascar|malawi|malaysia|maldives|mali|malta|mauritania
mauritius|mexico|moldova|mongolia|montenegro|morocco|mozambique|myanmar|namibia|nepal|netherlands|holland|new zealand
nicaragua|niger|nigeria|northern ireland|north macedonia|norway|oman|pakistan|palestine|papua new guinea|paraguay|peru
philippines|poland|portugal|qatar|romania|russia|rwanda|samoa|saudi arabia|scandinavia|scotland|senegal|serbia
sierra leone|slovakia|slovenia|somalia|south africa|south sudan|spain|sri lanka|sudan|suriname|sweden|switzerland|syria
taiwan|tajikistan|tanzania|thailand|togo|trinidad|tunisia|turkey|turkmenistan|uganda|ukraine|united arab emirates|uae
united kingdom|uk|united states|united states of america|usa|us|states|uruguay|uzbekistan|venezuela|vietnam|wales|yemen
zambia|zimbabwe
"""
_REGIONS = """
alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|indiana
iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska
nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island
south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia|wisconsin|wyoming
alberta|british columbia|manitoba|ontario|quebec|bavaria|catalonia|andalusia|tuscany|sicily|bali|queensland|victoria
pacific northwest|midwest|new england|east coast|west coast|bay area
"""
# How wide each is, by the stems of its name; the wider one where a name is of both.
_WIDTHS = {
    frozenset(terms_of(name)): width
    for width, names in enumerate((_REGIONS, _COUNTRIES, _CONTINENTS), 1)
    for line in names.split("\n")
    for name in line.split("|")
    if name
}


def width(stems: frozenset[str]) -> int:
    """0 for a town, or any name that is not known; then regions and states, countries, continents."""
    return _WIDTHS.get(stems, 0)
