"""Whether two statements about a world contradict each other, by words alone (G7)."""

import pytest

from everlore.campaign.canon.contradicting import contradiction_of, is_same_statement
from tests.growth import outgrows_its_text

OPPOSED = """
King Aldous rules Tarn. | Tarn is ruled by Queen Ysa.
King Aldous is the ruler of Tarn. | Queen Ysa rules over Tarn.
Reth leads the Crows. | The leader of the Crows is Ama.
The Lamp was forged by Odo. | Ama forged the Lamp.
Brother Odo is alive. | Brother Odo died in the fire.
The gate of Vell is open. | The gate of Vell is locked.
Ama's hair is black. | Ama has red hair.
The bell is made of bronze. | The bell is made of glass.
The bell is bronze. | The bell is silver.
Pell has two sons. | Pell has five sons.
Pell has no children. | Pell has three children.
Reth can swim. | Reth cannot swim.
Reth cannot swim. | Reth swims across the bay every day.
Vell lies on the east coast. | Vell lies on the west coast.
The Lamp Inn stands in Orne. | The Lamp Inn stands in Vell.
The Lamp Inn is in Orne. | The Lamp Inn is in Vell.
Reth lives in Orne. | Reth lives in Tarn.
Ama is the mother of Odo. | Ama is Odo's aunt.
Odo's father is Reth. | Odo's father is Pell.
Ama is married to Reth. | Ama has never been married.
Reth is a dwarf. | Reth is an elf.
The crown is hidden in the cellar. | The crown is hidden in the attic.
The vault holds three crowns. | The vault holds seven crowns.
The tower is sixty feet tall. | The tower is two hundred feet tall.
Nobody lives in the tower. | Reth lives in the tower.
Only Ama has a key to the vault. | Reth has a key to the vault.
The flood was ten years ago. | The flood was three hundred years ago.
Odo is mute. | Odo speaks five languages.
The Crows are allies of Tarn. | The Crows are enemies of Tarn.
The mill was destroyed. | The mill is intact.
The sword is cursed. | The sword is blessed.
Reth is left-handed. | Reth is right-handed.
The Guild does not trade in salt. | The Guild trades in salt.
Ama did not kill Odo. | Ama killed Odo.
The capital of Tarn is Vell. | The capital of Tarn is Orne.
Elves do not sleep. | Elves sleep four hours a night.
Captain Mor commands the Heron. | The Heron is commanded by Captain Bask.
The Heron has a crew of thirty. | The Heron has a crew of eighty.
Odra is Kell's wife. | Odra is Kell's daughter.
The Orb is hidden in the crypt. | The Orb is hidden in the well.
The temple was built by King Hale. | The temple was built by Queen Isme.
Bram is innocent. | Bram is guilty.
The elves of Lorn do not eat meat. | The elves of Lorn eat meat.
The Duke was murdered by Vex. | The Duke was murdered by Ilka.
The Duke was poisoned by Vex. | The Duke was stabbed by Ilka.
Thessa's eyes are green. | Thessa has blue eyes.
The village has one inn. | The village has three inns.
The mine is abandoned. | The mine is crowded with workers.
Halvar is human. | Halvar is a vampire.
The river Ile flows north. | The river Ile flows south.
The festival lasts three days. | The festival lasts two weeks.
Mirel founded the Academy. | The Academy was founded by Tam Orlo.
The key is made of brass. | The key is made of iron.
The lake is bottomless. | The lake is shallow.
Bram has never been to Varr. | Bram has been to Varr.
The Duke's heir is Lysa. | The Duke's heir is Bors.
Queen Isme has three children. | Queen Isme is childless.
The Archmage lives in Orne. | The Archmage lives in Varr.
Trolls are harmed by sunlight. | Trolls are not harmed by sunlight.
The island is uninhabited. | The island is inhabited by goblins.
Kell is loyal to the Queen. | Kell is a traitor to the Queen.
The Grey Hand meets in the cellar of the Lamp Inn. | The Grey Hand never meets in the cellar of the Lamp Inn.
Lady Arden is the owner of the Blue Hen. | The Blue Hen is owned by Pieter Moss.
The river Ash flows into the Emerald Sea. | The river Ash does not flow into the Emerald Sea.
Captain Vane has a wooden leg. | Captain Vane has an iron leg.
Hedda is unmarried. | Hedda is married to Tomas.
Sir Roland died at Kings Ford. | Sir Roland is alive.
The dragon's scales are black. | The dragon has white scales.
The library has three floors. | The library has seven floors.
Mother Gale is sixty. | Mother Gale is twenty-four years old.
Bran is Ella's brother. | Bran is Ella's uncle.
The Thorn Crown is kept in Fell. | The Thorn Crown is kept in Korrin.
Wolves do not live in the Greywood. | Wolves live in the Greywood.
The northern gate is open. | The northern gate is sealed.
The baker was killed by Jory. | Mara killed the baker.
The queen is dead. | The queen is still alive.
The mine lies in the east. | The mine lies in the west.
The temple is made of white stone. | The temple is made of wood.
Fenn can speak with birds. | Fenn cannot speak with birds.
The Red Hand has twenty men. | The Red Hand has two hundred men.
Count Ruvan is a vampire. | Count Ruvan is a werewolf.
The sword Ember was forged by Dorn. | Hild forged the sword Ember.
Kessa is the captain of the city guard. | Torv is the captain of the city guard.
Lord Haim has two sons. | Lord Haim has no sons.
King Marr is Prince Lio's father. | Prince Lio's father is Duke Oran.
Ivo has served the Raven Queen all his life. | Ivo has never served the Raven Queen.
The mayor is loyal to the crown. | The mayor is a traitor.
The town of Fell was founded by Saint Orla. | Fell was founded by the pirate Black Jem.
The Emerald Sea is salty. | The Emerald Sea is not salty.
The war lasted seven years. | The war lasted thirty years.
The mill burned down. | The mill has never burned.
The bridge at Sarn has four arches. | The bridge at Sarn has six arches.
The rebels are led by Mirren. | Tavish leads the rebels.
Halflings are forbidden in Korrin. | Halflings are permitted in Korrin.
Gwen's cloak is blue. | Gwen wears a red cloak.
The comet passed forty years ago. | The comet passed four hundred years ago.
Orne is two miles from Vell. | Orne is five miles from Vell.
Reth was born in Orne. | Reth was born in Vell.
The bridge at Sarn was built in 310. | The bridge at Sarn was built in the year 655.
The cave has a single entrance. | The cave has three entrances.
The one-eyed smith Garl lives in Orne. | Garl the smith has two eyes.
Ama held the cup with both her hands. | Ama has one hand.
Three islands lie in Lake Orr. | There are nine islands in Lake Orr.
Tarn has no king. | King Hale is the king of Tarn.
Nobody rules the Marches. | Duke Vane rules the Marches.
Ama has no siblings. | Ama is Odo's sister.
Odo carries no weapon. | Odo carries a dagger.
Odo fears nothing. | Odo fears spiders.
Ama eats only fish. | Ama eats bread and cheese.
Orne is the largest city in Tarn. | Vell is the largest city in Tarn.
The first king of Tarn was Hale. | The first king of Tarn was Osric.
Fire does not harm Ash. | Fire burned Ash badly.
Trolls are immune to fire. | Fire kills trolls.
The Crows have been at war with Tarn since their founding. | The Crows are at peace with Tarn and always have been.
The wall is unbreakable. | The wall was broken by giants.
The tower is windowless. | The tower has four windows.
Ama adores cats. | Ama loathes cats.
Odo trusts the Duke. | Odo mistrusts the Duke.
Kessa is a gnome from the hills. | Kessa is a human from Orne.
The dragon never sleeps. | The dragon sleeps in its cave for most of the year.
No elf of Lorn has ever killed a man. | The elves of Lorn have killed a hundred men.
Everyone in Fell is honest. | Nobody in Fell is honest.
The Heron sank in the storm. | The Heron is afloat and seaworthy.
Osric is the eldest of the brothers. | Osric is the youngest of the brothers.
Hild is the bravest of the knights. | Hild is a coward.
The lake never freezes. | The lake freezes every winter.
Pell is Mira's father, not her uncle. | Pell is Mira's uncle.
The cloak makes its wearer invisible. | The cloak does not make its wearer invisible.
Varn is ruled by a queen. | Varn has no ruler.
The monks of Selu never speak. | The monks of Selu speak to every guest.
The scroll was written by Orel. | Tam wrote the scroll.
The temple was burned by the Crows. | The temple has never been burned.
All wizards of Orne are women. | No wizard of Orne is a woman.
The desert of Ish is dry. | The desert of Ish is flooded.
Iron is worth more than gold in Ish. | Gold is worth more than iron in Ish.
The Duke has been blind since birth. | The Duke saw the comet.
Sable is Hask's twin brother. | Hask is an only child.
The Iron Legion was founded by General Ost. | Queen Mea founded the Iron Legion.
The spire of Tull has no door. | The spire of Tull has a door of oak.
Vesper was the first queen of Ilm. | The first queen of Ilm was Adra.
The Salt Road runs from Orne to Fell. | The Salt Road runs from Orne to Korr.
Hobb is deaf. | Hobb heard the bells ring.
There are no wolves in the Greywood. | Packs of wolves roam the Greywood.
There is no magic in Ilm. | Magic is common in Ilm.
It never rains in Ish. | It rains in Ish every week.
Every door in the keep is locked. | The doors of the keep are never locked.
Ivo is Marr's only son. | Marr has four sons.
The Blue Hen belongs to Pieter. | The Blue Hen belongs to Lady Arden.
The dagger belongs to Kell. | Odra owns the dagger.
The necklace is worth ten crowns. | The necklace is worth a thousand crowns.
Kell is the tallest man in Orne. | Kell is short.
The gem is worthless. | The gem is priceless.
Torv grew up in Fell. | Torv grew up in Korr.
The prison of Sarn is empty. | The prison of Sarn is full.
Pell is a vegetarian. | Pell eats mutton every day.
The treaty was signed in the year 80. | The treaty was signed in 112.
The comet comes every ten years. | The comet comes every hundred years.
The town has a population of four thousand. | The town has a population of ninety.
The river is called the Ash. | The river is called the Ister.
No one has ever climbed Mount Tor. | Hild climbed Mount Tor.
Odo's sword is called Dusk. | Odo's sword is called Ember.
The army of Varn marched on foot. | The army of Varn never marched.
Hedda is taller than Bram. | Hedda is shorter than Bram.
Unicorns are extinct. | Herds of unicorns live in Lorn.
The map is a forgery. | The map is genuine.
The wall was built by dwarves. | The wall was built by giants.
Captain Vane is from Orne. | Captain Vane comes from Vell.
The curse can be lifted. | The curse can never be lifted.
Pell can neither ride nor swim. | Pell swims like a fish.
Orne bows to nobody. | Orne bows to Tarn.
Swans moult in spring. | Swans do not moult in spring.
Odo is an only son. | Odo has a brother.
Most knights of Sarn are rich. | No knight of Sarn is rich.
The council has nine seats. | The council has all forty seats.
Frost kills salamanders at once. | Salamanders are immune to frost.
""".strip().splitlines()
BESIDE = """
Mira Voss is the keeper of the lamp. | Mira Voss has a scar on her cheek.
Mira Voss is the keeper of the lamp. | Mira Voss, the keeper of the lamp, is left-handed.
King Aldous rules Tarn. | King Aldous rules Tarn with an iron hand.
King Aldous rules Tarn. | Queen Ysa now rules Tarn.
King Aldous rules Tarn. | Three weeks later King Aldous fell, and Queen Ysa rules Tarn.
King Aldous rules Tarn. | Queen Ysa has ruled Tarn since the flood.
King Aldous rules Tarn. | Queen Ysa rules Vell.
King Aldous rules Tarn. | Tarn is ruled by King Aldous.
King Aldous rules Tarn. | They say that Queen Ysa rules Tarn.
King Aldous rules Tarn. | Does Queen Ysa rule Tarn?
King Aldous rules Tarn. | Queen Ysa claims to rule Tarn.
King Aldous rules Tarn. | In the legend, Queen Ysa rules Tarn.
The gate of Vell is closed. | The gate of Vell is open by day.
The gate of Vell is closed at night. | The gate of Vell is open.
The gate of Vell is closed. | The gate of Vell has been opened again.
The gate of Vell is closed. | The door of Vell is open.
Pell is an old fisherman. | Pell is a fisherman with two sons.
Pell has two sons. | Pell has three daughters.
Pell has two sons. | Pell's two sons are called Ar and Bo.
Brother Odo is dead. | Brother Odo was buried under the yew.
Brother Odo is alive. | Sister Ama is dead.
The sword Dusk is made of steel. | The hilt of the sword Dusk is made of bone.
The sword Dusk is made of steel. | The sword Dusk is made of steel and bone.
The tower is built of stone. | The tower is built of granite.
The banner of Vell is red. | The banner of Vell is red and gold.
The banner of Vell is red. | The banner of Tarn is blue.
The Lamp Inn is in Orne. | The Lamp Inn is near the harbour.
The Lamp Inn is in Orne. | The Lamp Inn stands on Salt Street.
The Lamp Inn is in Orne. | The Lamp Library is in Vell.
Orne is in the north. | Orne Library is in the south.
Captain Reth is in the tower. | Captain Reth is in Vell.
Reth killed the wolf. | Reth killed the bear.
Reth killed a wolf. | Ama killed a wolf.
Reth loves Ama. | Reth loves Odo.
Reth loves the sea. | Ama loves the sea.
Reth carries a lantern. | Ama carries a lantern.
Ama is Reth's sister. | Ama is the sister of Reth and of Odo.
Ama is Reth's sister. | Ama is Odo's mother.
Ama is Reth's sister. | Odo is Reth's brother.
The siege lasted forty days. | The siege of Vell lasted about six weeks.
The Guild has nine masters. | The Guild has more than nine masters.
The Guild has nine masters. | The Guild has nine masters and forty apprentices.
Ama is thirty years old. | Ama is thirty-one.
Ama is the youngest sister. | Ama is brave.
Reth cannot swim. | Reth learned to swim and no longer fears water.
Reth cannot swim. | Ama swims well.
Reth does not trust Ama. | Reth trusts Odo.
Reth dreamed that Ama was dead. | Ama is alive.
Odo believes that the crown is gold. | The crown is silver.
Ama's eyes are green. | Ama's hair is black.
Ama wears a green cloak. | Ama wears a black hat.
The well is deep. | The river is shallow.
The bridge was destroyed in the war. | The bridge has been rebuilt.
Vell was founded by Reth the Elder. | Vell was founded three hundred years ago.
Magic is forbidden in Vell. | Magic is allowed in Tarn.
The mill burned down. | The mill stood on the north bank.
The Order guards the gate. | The Order's captain is Reth.
The temple was closed for years. | The temple is open.
Odo used to be a thief. | Odo is an honest man.
Reth is a dwarf. | Reth is a smith.
The forest is home to wolves. | The forest is dangerous at night.
Reth made the Lamp. | Reth made the Crown.
Ama leads the Crows. | The Crows are led by Ama Sool.
The vault holds three crowns. | The vault holds four keys.
Odo was born in Vell. | Odo lives in Tarn.
The dragon sleeps beneath the hill. | The dragon's hoard lies beneath the hill.
The Lamplighters' Guild rules Orne. | The guild master Oswin drinks the light.
Sister Ilka is the last keeper of the old lamps. | Sister Ilka wept when she saw the funnel.
Sister Ilka is the last keeper of the old lamps. | Ilka lives above the chandlery.
The harbour of Orne has forty lamps. | Three lamps of the harbour of Orne were lit by Pia.
Hadrek owns the Black Anchor. | Hadrek owns a boat.
Hadrek owns the Black Anchor. | The Black Anchor was once owned by Sylva.
The Duke was poisoned. | The Duke was poisoned by his cook.
The Duke was murdered by an assassin. | The Duke was murdered by the Moth.
The Duke is dead. | The ghost of the Duke walks the halls.
The Duke is dead. | The Duke's daughter is alive.
The Duke is dead. | The Duke was raised from the dead by Vex.
The library burned down ten years ago. | The library was built two hundred years ago.
Varr is a city on the river. | Varr is a city of ten thousand people.
Varr is a port. | Varr is the largest port on the Salt Coast.
Thessa wears a red cloak. | Thessa wears silver rings.
Thessa is tall. | Thessa's brother is short.
Thessa is from Varr. | Thessa lives in Orne.
Thessa hates the Duke. | Thessa's father served the Duke.
The key opens the vault. | The key is made of brass.
The vault is locked. | The vault has a lock of brass.
The vault is locked. | The party opened the vault with the brass key.
Captain Mor commands the Heron. | The Heron has a crew of thirty.
Captain Mor commands the Heron. | Captain Mor also commands the Gull.
Captain Mor commands the Heron. | After the mutiny, Lieutenant Bask commands the Heron.
The elves left the forest. | The forest is inhabited by wolves.
The elves of Lorn do not eat meat. | The dwarves of Lorn eat meat.
No dragon has been seen for a century. | The dragon Ash was last seen a century ago.
The tavern is closed on holy days. | The tavern is open late.
The bridge is guarded by two trolls. | The bridge is guarded by trolls.
The village has a well. | The village has two inns.
The village has one inn. | The village has one inn and one smithy.
The sword glows blue near orcs. | The sword's blade is steel.
Odra is Kell's wife. | Odra is Kell's second wife.
Odra is Kell's daughter. | Odra is the daughter of Kell and Imme.
Odra is the twin of Pask. | Odra is Pask's sister.
The war ended in 1204. | The war began in 1198.
The war lasted six years. | The war ended six years ago.
The temple was built by the first king. | The temple was built of white marble.
The temple was built by monks. | The temple was restored by King Hale.
Bram is a thief. | Bram is a member of the Grey Hand.
Bram is young. | Bram's horse is old.
Bram is innocent. | The judge thinks Bram is guilty.
Bram might be alive. | Bram is dead.
Bram fears the dark. | Bram does not fear death.
Bram does not know the password. | Bram knows the guard.
Bram does not know the password. | Bram learned the password from Odra.
Mount Vey is in the north. | Mount Vey is covered in snow.
Mount Vey lies north of Orne. | Mount Vey lies south of Varr.
The river Ile flows through Orne. | The river Ile flows into the sea at Varr.
The Moon Gate leads to Fae. | The Sun Gate leads to Hell.
The Red Company has fifty soldiers. | The Blue Company has two hundred soldiers.
Halvar's ship is in the harbour. | Halvar's ship is fast.
Queen Isme has three children. | Queen Isme's eldest child is Ror.
Queen Isme is Ror's mother. | King Dal is Ror's father.
The elixir is green. | The elixir tastes sweet.
The elixir heals wounds. | The elixir does not cure poison.
The Orb is hidden in the crypt. | The Orb is hidden in the crypt beneath the chapel.
The Orb is hidden in the crypt beneath the chapel. | The Orb is hidden beneath the chapel.
Reth has a black horse. | Reth has a white dog.
The king's banner is blue. | The king's ship is red.
The mine is abandoned. | The mine was crowded in the old days.
The prisoners are held in the tower. | Two prisoners escaped from the tower.
Pell is a baker, and his sister is a smith. | Pell bakes the best bread in Orne.
The Archmage has never left the tower. | The Archmage's apprentice left the tower.
The Guild is rich. | The Guild's members are poor.
Everyone in Varr speaks Low Tongue. | Odra of Varr speaks High Tongue.
The ritual needs three candles. | The ritual needs two priests.
Kell serves Queen Isme. | Kell serves wine.
Ama Sool leads the Crows. | Captain Ama leads the Crows.
Lady Arden owns a manor in Fell. | Lady Arden also owns a vineyard in Korrin.
The river Ash flows past Mill End. | The river Ash is cold even in summer.
The inn is called the Blue Hen. | The Blue Hen has twelve rooms and a stable.
Old Pieter is a fisherman. | Old Pieter fishes for eels at night.
Captain Vane has a wooden leg. | Captain Vane walks with a limp.
The Iron Duke governs Norfell. | Norfell's ruler is the Iron Duke.
The bridge at Sarn is closed. | By spring, the bridge at Sarn was open again.
The guild of Weavers has forty members. | Last month the guild of Weavers grew to fifty members.
Hedda is unmarried. | Hedda married Tomas in the spring.
Hedda is engaged to Tomas. | Hedda's sister is engaged to Wilm.
Sir Roland died at Kings Ford. | The bards sing that Sir Roland lives on beneath the hill.
Sir Roland died at Kings Ford. | Sir Roland's squire survived Kings Ford.
The dragon's scales are black. | In the sunlight, the dragon's scales shine green.
The dragon's scales are black. | The dragon's eyes are yellow.
The library has three floors. | The third floor of the library is locked.
The library has three floors. | The library has three floors and a cellar.
Mother Gale is sixty. | Mother Gale is older than her brother.
Mother Gale is sixty. | Mother Gale turned sixty-five this winter.
Bran is Ella's brother. | Bran and Ella grew up in the same house.
Bran is Ella's brother. | Bran is Mara's husband.
The Thorn Crown is in the vault. | The Thorn Crown was stolen from the vault last night.
The Thorn Crown is in the vault. | The vault is beneath the palace.
The wizard Orel lives in a tower. | The wizard Orel lives in a tower by the sea.
The wizard Orel lives in Marsh End. | The wizard Orel was born in Fell.
Wolves live in the Greywood. | Bears live in the Greywood.
Wolves live in the Greywood. | Wolves also live in the hills.
The northern gate is open. | The southern gate is closed.
The north tower is ruined. | The south tower is intact.
The king trusts Varo. | The king does not trust Varo's cousin.
Nobody knows who killed the baker. | The baker was killed by Jory.
The baker was killed at night. | The baker was killed by Jory.
Some say Jory killed the baker. | Mara killed the baker.
Is the queen dead? | The queen is alive.
The queen dreamed that she was blind. | The queen reads every evening.
According to the old map, the mine lies in the east. | The mine lies in the west.
The temple is dedicated to Selu. | The temple is made of white stone.
The temple was built by the monks of Selu. | The temple was built three centuries ago.
Fenn can speak with birds. | Fenn cannot speak with fish.
Fenn is never seen without his hat. | Fenn's hat is green.
The Red Hand has twenty men. | The Red Hand has twenty men and six ships.
The ship has two masts. | The ship has one cabin.
The ship is called Morrow. | The Morrow is fast.
Goblins fear fire. | Goblins do not fear the dark.
Count Ruvan is a vampire. | Count Ruvan was once human.
Count Ruvan is a vampire. | Count Ruvan is a patron of the arts.
The sword Ember was forged by Dorn. | The sword Ember was reforged by Dorn's daughter.
The sword Ember was forged by Dorn. | The shield Ember was forged by Hild.
Kessa was the captain of the guard. | Torv is now the captain of the guard.
Kessa was captain of the guard until the fire. | Torv is the captain of the guard.
Kessa is the captain of the city guard. | Torv is the captain of the palace guard.
Kessa is a captain of the guard. | Torv is a captain of the guard.
The festival is held in spring. | The festival is held in the market square.
The potion is red. | The potion's bottle is blue.
The well has been poisoned. | The well is in the middle of the village.
The town council meets on Mondays. | The town council meets in the old mill.
Lord Haim has two sons. | Lord Haim's sons are named Per and Ulf.
Lord Haim has two sons. | Lord Haim has a daughter.
The elder is wise. | The elder's apprentice is foolish.
The pass is blocked by snow in winter. | The pass is open in summer.
The mayor is honest. | The mayor's accounts are full of holes.
The caravan carries silk. | The caravan carries spices.
Ivo serves the Raven Queen. | Ivo's brother serves the Sun King.
Ivo serves the Raven Queen. | Ivo no longer serves the Raven Queen.
Ivo is the high priest of Selu. | Ivo is the high priest of Selu in Fell.
The cave is dark. | The cave is lit by the glow of mushrooms.
Ten years ago the mill burned down. | The mill was rebuilt after the fire.
The statue has one arm. | The statue lost its left arm in the war.
The witch lives alone. | The witch keeps three cats.
Rook is a tiefling. | Rook has red skin.
The Emerald Sea is salty. | The Emerald Sea is home to merfolk.
The smith is strong. | The smith's arms are thick.
Prince Lio hates his father. | King Marr is Prince Lio's father.
King Marr is Prince Lio's father. | King Marr is Princess Ada's father.
Ras owes Ama a debt of ten crowns. | Ras owes Odo a debt of ninety crowns.
Orne is two miles from Vell. | Orne is five miles from Tarn.
The wall is ten feet high. | The wall is forty feet thick.
Duke Harl is dead. | Duke Harl is no longer among the living.
Duke Harl is dead. | Duke Harl is not alive.
The door is open. | The door is not locked.
Hedda never married. | Hedda is unmarried.
Pell has no children. | Pell is childless.
Port Sel is on the coast. | Port Sel is not far from the sea.
Following the coup, General Ost rules Varn. | General Ost rules Varn.
King Tull rules Varn. | Following the coup, General Ost rules Varn.
King Tull rules Varn. | With King Tull gone, General Ost rules Varn.
King Tull rules Varn. | General Ost took the throne of Varn from King Tull.
King Tull rules Varn. | General Ost seized Varn.
King Tull rules Varn. | Ten winters on, General Ost rules Varn.
King Tull rules Varn. | In the next age, General Ost rules Varn.
King Tull rules Varn. | The innkeeper swears General Ost rules Varn.
King Tull rules Varn. | Old tales tell that General Ost rules Varn.
King Tull rules Varn. | General Ost intends to rule Varn.
King Tull rules Varn. | A forged letter says General Ost rules Varn.
King Tull rules Varn. | General Ost commands the armies of Varn.
King Tull rules Varn. | King Tull's brother rules Sarn.
King Tull rules Varn. | The king of Varn is called Tull.
King Tull rules Varn. | Varn is a cold country in the north.
The Silver Fox is a tavern in Lowtown. | The Silver Fox is run by Old Meg.
The Silver Fox is a tavern in Lowtown. | The Silver Fox is popular with sailors.
The abbey bell is cracked. | The abbey bell has been mended.
The abbey bell weighs two tons. | The abbey bell hangs in the west tower.
The abbey has two bells. | The smaller bell of the abbey is silver.
Sister Wren is blind. | Sister Wren hears everything.
Sister Wren is blind. | Sister Wren's sight was restored by the spring.
Sister Wren is blind. | Sister Wren knows the abbey by touch.
The road to Fell is long. | The road to Korr is short.
The thief escaped over the wall. | The thief was caught at the gate.
The crew of the Gull is small. | The crew of the Heron is large.
Marn the smith made the king's crown. | Marn the smith made the queen's ring.
Marn the smith made the king's crown. | The king's crown is heavy.
The plague killed half of Orm. | Half of Orm was killed by the plague.
The plague killed half of Orm. | The plague came from the sea.
Elira is an elf. | Elira is a ranger of the northern woods.
Elira is an elf. | Elira's mother was human.
Elira is two hundred years old. | Elira is young for an elf.
Elira is two hundred years old. | Elira looks twenty.
The Vault of Kings lies beneath Mount Tor. | The entrance to the Vault of Kings lies at the top of Mount Tor.
The Vault of Kings has seven doors. | The seventh door of the Vault of Kings is sealed.
The Vault of Kings has seven doors. | Six doors of the Vault of Kings are open.
Gorrim hates elves. | Gorrim loves dwarves.
Gorrim hates elves. | Gorrim married an elf.
Gorrim has a red beard. | Gorrim's beard is braided.
Gorrim has a red beard. | Gorrim's beard has turned grey.
Gorrim carries an axe. | Gorrim carries a shield.
The Order has chapters in five cities. | The Order has a chapter in Varn.
The lake is frozen. | In summer the lake is warm.
The lake is deep. | The shore of the lake is shallow.
The market is held every week. | The market is held on the green.
The prince is the heir of King Tull. | The prince is ten years old.
Princess Ada is King Tull's daughter. | Princess Ada is Queen Mea's daughter.
The wyvern was slain by Kara. | The other wyvern was slain by Bo.
Two wyverns live on the peak. | One wyvern was slain by Kara.
The witch's house is made of bone. | The witch's fence is made of wood.
The curse can be broken by a kiss. | The curse cannot be broken by force.
The curse cannot be lifted by magic. | The curse can be lifted by a true tear.
The captain drinks rum. | The captain never drinks water.
The tower of Ul is tall and white. | The tower of Ul is made of marble.
The east wing burned. | The west wing is intact.
Ferra is left-handed. | Ferra lost her right hand in the war.
Dorn of Vell is a smith. | Dorn of Tarn is a priest.
The treaty was signed in Fell. | The treaty was signed by King Tull.
The treaty was signed in Fell. | The treaty was broken in Korr.
The guards of the palace wear blue. | The guards of the harbour wear red.
Reth was born in Orne. | Reth was raised in Vell.
Reth was born in Orne. | Reth's mother was born in Vell.
Reth was born in the year 310. | Reth died in the year 377.
The bridge at Sarn was built in 310. | The bridge at Sarn was widened in 655.
The cave has a single entrance. | The cave has three chambers.
Ama has one sister. | Ama has two brothers.
Ama has one dog. | Odo has two dogs.
There are nine islands in Lake Orr. | Three islands in Lake Orr are inhabited.
Two guards stand at the gate. | Four guards stand on the wall.
Tarn has no king. | Tarn has a council of elders.
Tarn has no king. | Hale is the king of Varn.
Nobody rules the Marches. | Duke Vane rules the Lowlands.
Nobody in Fell can read. | The people of Korr can read.
Nobody in Fell can swim. | Odo can swim.
Ama has no siblings. | Ama has three cousins.
Odo carries no weapon. | Odo carries a lantern.
Odo carries no weapon. | Odo's guard carries a sword.
Ama eats only fish. | Ama drinks only water.
Orne is the largest city in Tarn. | Vell is the oldest city in Tarn.
Orne is the largest city in Tarn. | Vell is the largest city in Varn.
Ama loves her brother. | Ama hates her cousin.
Ama loves the sea. | Ama hates storms at sea.
Odo trusts the Duke. | Odo mistrusts the Duke's steward.
Some elves eat meat. | Some elves do not eat meat.
Many houses in Orne are old. | Many houses in Orne are new.
Kessa is a gnome. | Kessa is a dragon hunter.
Kessa is a gnome. | Kessa is a friend of the elves.
The knight is an enemy of the trolls. | The knight is a friend of the elves.
Pell is a fast rider. | Pell is a slow reader.
Pell is a strong swimmer. | Pell is weak with the sword.
The tower is windowless. | The hall has four windows.
The wall is unbreakable. | The giants broke the gate.
The Crows fight for gold. | The Crows never fight in winter.
Hild is the bravest of the knights. | Osric is the oldest of the knights.
Fire harms trolls. | Trolls are not harmed by frost.
The Duke killed the old bear. | The Duke killed the young wolf.
Odo won the first race. | Odo lost the second race.
Odo won the race in Orne. | Odo lost the race in Vell.
Ama had two sons. | Ama has no sons, for both fell in the war.
Sir Bors died in Orne. | Sir Bors was born in Vell.
The ship sank. | The ship was raised and sails again.
The tall man at the bar is Odo. | The short man at the bar is Pell.
The old mill is haunted. | The new mill is busy.
Pell is old. | Pell's wife is young.
Pell is a young man. | Pell has an old sword.
The sword is light. | The shield is heavy.
The sword is very old. | The sword has a new hilt.
The inn is small. | The inn has a large cellar.
The inn is quiet. | The inn is loud on feast days.
The king is rich. | The king's people are poor.
The road is long and narrow. | The road is wide at the ford.
The forest is dark. | The forest has a bright clearing.
Ama is the mother of Odo. | Ama has a daughter.
Ama has one son. | Ama's daughter is called Bea.
The Guild forbids theft. | The Guild allows gambling.
The Order protects pilgrims. | The Order attacks pirates.
The city of Orne was founded by Hale. | The university of Orne was founded by Osric.
Odo has never been to Vell. | Odo has been to Tarn.
Odo has never been to Vell. | Odo went to Vell the following year.
Odo is not afraid of wolves. | Odo is afraid of the dark.
The potion is bitter. | The potion smells sweet.
The river is cold. | The river runs past a hot spring.
The lamp is made of brass. | The lamp's chain is made of iron.
Vell has two gates. | The two gates of Vell are closed.
Vell has two gates. | One gate of Vell is closed.
The castle has high walls. | The castle has a low gate.
Only the Queen may enter the vault. | The Queen entered the vault.
Reth speaks only Elvish. | Reth speaks in a low voice.
Reth wears only black. | Reth wears a ring.
Kell served in the army. | Kell never served at sea.
The captain is loyal to the Duke. | The mate is a traitor to the Duke.
Ash is a dragon. | Ash is a dragon from the north who hates elves.
Orel is a wizard from Fell. | Orel is a human.
The elves have two queens. | The elves have one king.
The moon of Ish is red. | The sun of Ish is white.
Mount Tor is the highest mountain in Tarn. | The view from Mount Tor is the finest in Tarn.
Reth's brother was killed by wolves. | Reth was killed by bandits.
Reth is the younger brother of Ama. | Reth is the elder brother of Odo.
Reth is older than Ama. | Reth is younger than Pell.
Reth is stronger than Ama. | Reth is weaker than Pell.
Pell's shop is open. | Pell's shop is closed on feast days.
The Prince is alive. | The Prince was nearly killed in the hunt.
The Prince is brave. | The Prince is afraid of spiders.
The Prince died young. | The Prince was old enough to ride.
The baker sells bread. | The baker buys flour.
The witch heals the sick. | The witch poisons rats.
The mayor keeps bees. | The mayor lost his hat.
The temple was destroyed in the year 12. | The temple was built in the year 4.
Sable is Hask's twin brother. | Sable has three brothers.
There are no wolves in the Greywood. | There are wolves in the Blackwood.
It never rains in Ish. | It rains in Orne every week.
Ivo is the son of Marr. | Ivo is the son of Queen Mea.
Ivo is Marr's only son. | Marr has two daughters.
The Blue Hen belongs to Pieter. | The dagger belongs to Pieter.
The necklace is worth ten crowns. | The ring is worth a thousand crowns.
The Queen reigned for forty years. | The Queen was ill for six months.
Torv grew up in Fell. | Torv lives in Korr.
Kessa worships Selu. | Kessa worships no demon.
The river is called the Ash. | The ship is called the Ister.
No one has ever climbed Mount Tor. | Hild climbed Mount Vey.
Captain Vane is from Orne. | Captain Vane comes from a poor family.
Captain Vane comes from Orne. | Captain Vane has come back from Vell.
The Salt Road runs from Orne to Fell. | The Salt Road runs through Korr.
Odo's sword is called Dusk. | Odo's horse is called Ember.
The comet comes every ten years. | The tax collector comes every year.
Kessa works alone. | Kessa is a smith.
The town has a population of four thousand. | The town has a garrison of ninety.
The town is called Fell. | The people of the town call it home.
The dagger belongs to Kell. | Odra owns a dagger.
The dagger belongs to Kell. | The dagger was given to Odra.
Gremm is a widower. | Gremm's sister is alive.
Kell is known as the Fox. | Kell is called the Old Man by his crew.
The wolf pack hunts at night. | The wolf pack does not hunt by day.
The king's guard carries spears. | The king carries no weapon.
Vesper rules with kindness. | Vesper is feared by thieves.
The docks burned in the riot. | The docks are busy by day.
Torv was born a slave. | Torv is a captain.
Hild climbed Mount Tor. | Hild has not climbed Mount Vey.
Odo is blind. | Odo's sister sees ghosts.
Odo is mute. | Odo writes letters.
Odo is unarmed. | Odo carries a lute.
Odo is a widower. | Odo has a daughter.
Odo is an orphan. | Odo has an uncle.
Ama is immortal. | Ama's brother died in the war.
The elves are immortal. | An elf can be killed with iron.
There is no inn in Fell. | There is an inn in Korr.
There is no king in Fell. | The king passed through Fell.
The sword is called Dusk. | The sword is a blade of black steel.
The village is called Hask. | The village of Hask is poor.
Kell is from Orne. | Kell comes from the north.
Kell is from Orne. | Kell's wife is from Fell.
The river Ash flows into the Emerald Sea. | The river Ash flows from Mount Tor.
The bears of Lorn hunt at night. | The bears of Lorn sleep in winter.
Dwarves love gold. | Dwarves hate water.
Dwarves love gold. | The dwarf Garl hates gold coins.
Goblins fear the light. | Goblins live under the hills.
The knights carry spears. | The knights carry no shields.
The monks eat no meat. | The monks eat fish.
The monks drink no wine. | The monks brew wine for the king.
The children of Fell play in the river. | The children of Fell do not play in the mill.
Osric has no sons. | Osric has two nephews.
Osric has no heir. | Osric's brother has three sons.
Hild wears no armour. | Hild wears a cloak.
Hild killed the troll. | The troll killed Bors.
Trolls are vulnerable to fire. | Trolls are immune to poison.
The lamp is bright. | The room is dark.
The lamp was lit. | The lamp went out in the storm.
The castle has one gate. | The castle has two towers.
The castle was captured by the Crows. | The castle was recaptured a year later.
The ring makes Odo invisible. | The ring is visible in moonlight.
The guild master is a man. | The guild master's deputy is a woman.
The harvest was good. | The harvest of the next year was bad.
The twins are alike. | The twins are of different height.
The rebels hold the bridge. | The rebels do not hold the ford.
The bard knows many songs. | The bard knows no ballads of war.
The bard is famous in Orne. | The bard is unknown in Fell.
The captain trusts his crew. | The crew does not trust the captain.
Ama loves Odo. | Odo does not love Ama.
Ama is Odo's sister. | Odo is Ama's brother.
Ama is Odo's wife. | Odo is Ama's husband.
Pell is Mira's father. | Mira is Pell's daughter.
Ama has a husband. | Ama is married.
The old bridge is closed. | The new bridge is open.
The door to the cellar is locked. | The door to the kitchen is open.
The left door is open. | The right door is closed.
The first door is open. | The second door is closed.
The inner gate is open. | The outer gate is closed.
One of the doors is open. | One of the doors is closed.
The Queen loves the old songs. | The Queen hates the new songs.
The Duke has a wooden leg. | The Duke has an iron will.
The statue is made of stone. | The statue's eyes are made of glass.
The ship has three masts. | The ship has a crew of thirty.
The ghost appears at midnight. | The ghost never appears by day.
Bram was wounded at Sarn. | Bram survived the battle of Sarn.
Bram was wounded at Sarn. | Bram was unharmed at Kings Ford.
The mine is rich in silver. | The miners are poor.
The land is fertile. | The northern land is barren.
The sea is calm in summer. | The sea is wild in winter.
The wall was built by dwarves. | The wall was built by masons.
Odo is afraid of wolves. | Odo is a human.
Odo is a friend of dwarves. | Odo is an elf.
Pell can neither ride nor swim. | Pell can cook.
Kell's wife is from Fell. | Odra is Kell's wife.
Fire kills trolls. | Hild killed the troll.
The Crows rule Orne. | The Salt Road runs from Orne to Fell.
The curse can be lifted. | The curse cannot be lifted by magic.
Orne bows to nobody. | Tarn bows to Orne.
Tarn was poor before the mines opened. | Tarn is rich.
Odo cannot ride. | Odo learned to ride the following spring.
Salamanders are immune to frost. | Salamanders are red.
Most knights of Sarn are rich. | Some knights of Sarn are poor.
""".strip().splitlines()


@pytest.mark.parametrize("pair", OPPOSED)
def test_of_two_that_cannot_both_be_true_it_says_so_and_why(pair: str) -> None:
    """G7: the same thing, in the same respect, otherwise; or one denies the other."""
    old, new = pair.split(" | ")

    found = contradiction_of(old, new)

    assert found is not None
    assert found.reason
    assert 0.5 < found.confidence <= 1


@pytest.mark.parametrize("pair", BESIDE)
def test_what_can_be_true_beside_the_other_contradicts_nothing(pair: str) -> None:
    """G7: more of the same, something else, what time has changed, and what is only said to be so."""
    old, new = pair.split(" | ")

    assert contradiction_of(old, new) is None


def test_the_same_under_another_name_is_the_same() -> None:
    """G7: with the names that the campaign knows."""
    old, new = "The Grey Widow is alive.", "Countess Imre is dead."

    assert contradiction_of(old, new) is None
    assert contradiction_of(old, new, {"The Grey Widow": "Countess Imre"}) is not None


def test_the_reason_names_both_values() -> None:
    """G7: for whoever rules on it."""
    found = contradiction_of("King Aldous rules Tarn.", "Tarn is ruled by Queen Ysa.")

    assert found is not None
    assert all(name in found.reason for name in ("King Aldous", "Queen Ysa", "Tarn"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("King Aldous rules Tarn.", "Tarn is ruled by King Aldous", True),
        ("King Aldous rules Tarn.", "king aldous rules tarn", True),
        ("King Aldous rules Tarn.", "King Aldous rules Vell.", False),
        ("Reth can swim.", "Reth cannot swim.", False),
        ("Ama killed Odo.", "Odo killed Ama.", False),
        ("The bell is made of bronze.", "The bell is made of glass.", False),
    ],
)
def test_the_same_statement_in_other_words_is_known(one: str, other: str, same: bool) -> None:
    """G7: what was ruled on is known when it is said again."""
    assert is_same_statement(one, other) is same


@pytest.mark.parametrize(
    "text", ["", " ", "?", "the", "and and and", "is is is", "a " * 5_000, "'" * 500, "Ω≈ç√ 死 🐉.", "In Orne, ."]
)
def test_what_is_no_statement_contradicts_nothing(text: str) -> None:
    """G7: text from outside is data."""
    assert contradiction_of(text, "King Aldous rules Tarn.") is None
    assert contradiction_of("King Aldous rules Tarn.", text) is None


@pytest.mark.parametrize("piece", ["a ", "'", "is ", "and ", "the king "])
def test_a_long_statement_takes_no_more_than_its_length(piece: str) -> None:
    """S-8."""
    assert not outgrows_its_text(lambda text: contradiction_of(text, "King Aldous rules Tarn."), piece, 10_000)
