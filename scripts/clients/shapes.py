"""The shapes of SillyTavern's requests, as they came over the wire, for the quick tests: a file of JSON.

Each with the log before it and with what SillyTavern showed after it. What SillyTavern says itself is put into other
words, but for those by which it is known.

Run it from the root: `python -m scripts.clients.shapes "$(scripts/chromium.sh)"`, after `make test-clients`.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from scripts.clients.sillytavern import ROOT, SIZES, Tavern, begin_group, opened

FILE = ROOT / "tests" / "server" / "sillytavern_shapes.json"
REWORDED = {
    r"Write \w+'s next reply in a fictional chat between [\w, ]+\.": "Speak for the character in this story.",
    r"\[Write your next reply from the point of view of Ada[^\]]*\]": (
        "[Write your next reply from the point of view of Ada.]"
    ),
    r"\[Continue your last message[^\]]*\]": "[Continue your last message.]",
}
Shapes = dict[str, dict[str, Any]]


async def shapes_of(tavern: Tavern) -> Shapes:
    found: Shapes = {}

    async def take(name: str, doing: Awaitable[Any], *, is_first: bool = False) -> None:
        log = [] if is_first else await tavern.latest()
        asked = len(tavern.wire.chats)
        await doing
        found[name] = {
            "log": [[each["author"], each["display_content"], each["alternatives"]] for each in log],
            "messages": tavern.wire.chats[asked].body["messages"],
            "shown": await tavern.shown(),
        }

    await tavern.new_chat()
    await take("first line", tavern.say("Who lit the lamp?"), is_first=True)
    await take("next line", tavern.say("And who trims it?"))
    await take("swipe", tavern.swipe())
    await tavern.edit(1, "Who lit the great lamp?")
    await take("a line edited", tavern.say("Is it bright?"))
    await tavern.command("/cut 3-4")
    await take("lines deleted", tavern.say("Is it warm?"))
    await take("continue", tavern.command("/continue await=true"))
    await take("after continue", tavern.say("And the glass?"))
    await take("impersonate", tavern.command("/impersonate await=true"))
    await tavern.page.fill("#send_textarea", "")
    await take("quiet", tavern.command("/gen Describe the lamp room."))
    await tavern.command("/note Maren is in a hurry tonight.")
    await take("a note", tavern.say("And the stairs?"))
    await tavern.command("/note-depth 2 | /note-role user")
    await take("a note of the user's", tavern.say("And the railing?"))
    await tavern.command("/note-depth 4 | /note-role system | /note ")
    await tavern.run(SIZES, [420, 100])
    await take("trimmed", tavern.say("And the gallery?"))
    await tavern.run(SIZES, [4095, 300])
    for template in ("merge", "semi", "strict", "single"):
        await tavern.command(f"/prompt-post-processing {template}")
        await tavern.new_chat()
        await take(f"{template}: first line", tavern.say(f"Is {template} paint dry?"), is_first=True)
        await take(f"{template}: continue", tavern.command("/continue await=true"))
        await take(f"{template}: impersonate", tavern.command("/impersonate await=true"))
        await tavern.page.fill("#send_textarea", "")
        await take(f"{template}: next line", tavern.say("And the door?"))
    await tavern.command("/prompt-post-processing none")
    await tavern.run("st.chatCompletionSettings.names_behavior = 2")
    await take("names before lines", tavern.say("And the floor?"))
    await tavern.run("st.chatCompletionSettings.names_behavior = 0")
    await begin_group(tavern)
    await take("group: another's turn", tavern.say_to_two("Hello, you two."), is_first=True)
    messages = tavern.wire.chats[-1].body["messages"]
    found["group: its own turn"] = {"log": [], "messages": messages, "shown": (await tavern.shown())}
    return found


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="everlore-shapes-") as folder:
        async with opened(Path(folder), sys.argv[1]) as tavern:
            found = await shapes_of(tavern)
    text = json.dumps(found, ensure_ascii=False, indent=1)
    for words, others in REWORDED.items():
        text = re.sub(words, others, text)
    FILE.write_text(f"{text}\n")


if __name__ == "__main__":
    asyncio.run(main())
