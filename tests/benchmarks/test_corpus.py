from collections import Counter

import pytest

from benchmarks.corpus import PAIR_SIZE, WORKSPACE, make_corpus, make_fresh, make_questions
from benchmarks.vocabulary import SIZE, words
from everlore.domain.records import Record
from everlore.domain.scope import pair_of
from everlore.domain.words import terms_of
from everlore.store.checks import check_record


def test_the_same_seed_makes_the_same_corpus() -> None:
    assert make_corpus(300, seed=7) == make_corpus(300, seed=7)
    assert make_questions(20, seed=7) == make_questions(20, seed=7)


def test_another_seed_makes_another_corpus() -> None:
    assert make_corpus(50, seed=1).texts != make_corpus(50, seed=2).texts


@pytest.mark.parametrize("size", [1, 200, 999, 1000, 1001, 1999, 2500])
def test_a_corpus_has_the_size_that_was_asked_for(size: int) -> None:
    corpus = make_corpus(size)

    assert len(corpus.memories) == size
    assert len({memory.id for memory in corpus.memories}) == size


@pytest.mark.parametrize("size", [1000, 2500, 10_000])
def test_the_pair_holds_as_much_at_every_size(size: int) -> None:
    assert len(make_corpus(size).positions_of_pair()) == PAIR_SIZE


def test_the_pair_is_spread_over_the_whole_time() -> None:
    positions = make_corpus(10_000).positions_of_pair()

    tenths = Counter(position // 1000 for position in positions)

    assert len(tenths) == 10


def test_memories_are_in_order_of_time_and_name_only_what_exists() -> None:
    corpus = make_corpus(1500)
    persons = {person.id for person in corpus.persons}
    conversations = {conversation.id for conversation in corpus.conversations}

    times = [memory.created_at for memory in corpus.memories]

    assert times == sorted(times)
    assert all(persons.issuperset(memory.persons) for memory in corpus.memories)
    assert all(memory.conversation_id in conversations for memory in corpus.memories)


def test_the_store_would_take_every_record() -> None:
    corpus = make_corpus(200)

    records: list[Record] = [*corpus.persons, *corpus.conversations, *corpus.memories]

    for record in records:
        check_record(record)
        assert record.workspace == WORKSPACE


def test_statements_and_questions_have_a_natural_length() -> None:
    lengths = [len(text.split()) for text in make_corpus(2000).texts]
    asked = [len(question.split()) for question in make_questions(200)]

    assert min(lengths) >= 8
    assert max(lengths) <= 25
    assert min(asked) >= 6
    assert max(asked) <= 12


def test_function_words_are_everywhere_and_content_words_thin_out() -> None:
    holding = Counter(term for text in make_corpus(2000).texts for term in terms_of(text))

    assert holding["the"] > 1000
    assert len(holding) > 2000
    assert sum(1 for count in holding.values() if count == 1) > len(holding) / 4


def test_questions_share_words_with_the_memories() -> None:
    known = {term for text in make_corpus(2000).texts for term in terms_of(text)}

    shared = [known.intersection(terms_of(question)) for question in make_questions(50)]

    assert all(len(terms) >= 3 for terms in shared)


def test_fresh_memories_are_new_ones_of_the_pair() -> None:
    corpus = make_corpus(200)

    fresh = make_fresh(corpus, 50, seed=1)

    assert {memory.id for memory in fresh}.isdisjoint(memory.id for memory in corpus.memories)
    assert {pair_of(*memory.persons) for memory in fresh} == {corpus.pair}


def test_fresh_memories_of_two_seeds_do_not_meet() -> None:
    corpus = make_corpus(200)

    one, other = make_fresh(corpus, 50, seed=1), make_fresh(corpus, 50, seed=2)

    assert {memory.id for memory in one}.isdisjoint(memory.id for memory in other)


def test_the_vocabulary_is_large_and_has_no_word_twice() -> None:
    assert len(words()) == SIZE
    assert len(set(words())) == SIZE
    assert "the" not in words()
