"""Servers behind a load balancer are replaced one after the other, while people talk."""

from tests.journeys.talkers import address_of, all_say_more, balanced, caller, nothing_is_lost_or_doubled, talking
from tests.journeys.world import World


def test_servers_that_are_replaced_one_by_one_lose_no_message_and_do_nothing_twice(any_world: World) -> None:
    """V12, C5: SIGTERM for one while the other serves, then the other way around."""
    servers = [any_world.start(), any_world.start()]
    with balanced(*servers) as (balancer, front):
        ada = caller(front)
        with talking(ada, [caller(front) for _ in range(3)]) as talkers:
            for place in range(2):
                all_say_more(talkers)
                # As is usual: first no new requests, then the end, then a successor.
                leaving = servers[place]
                balancer.targets = [address_of(each) for each in servers if each is not leaving]
                done = leaving.stop()
                assert (done.code, "Traceback" in done.err) == (0, False), done.err
                all_say_more(talkers)
                servers[place] = any_world.start()
                balancer.targets = [address_of(each) for each in servers]
            all_say_more(talkers)
        nothing_is_lost_or_doubled(ada, talkers)
