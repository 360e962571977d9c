#!/usr/bin/env python3
"""Trains the main-content model of this crate and writes src/content/model.bin.

    cargo build --release -p gleaner-transform --example blocks
    python3 training/train.py DATA PATH/TO/blocks [--cross-validate | --model-only]

DATA has the folders `wcxb`, `readability` and `defuddle` (pages.py reads them; a missing one is left out). Text
blocks and their features come from the crate itself (examples/blocks.rs). A block is labelled by the share of its
words that the main content has in the same order. grafts.py adds pages with lists of other pages. The program first
prints the F1 on pages of sites that the models were not trained on (not with --model-only), then writes the model of
all pages (not with --cross-validate). The model contains only numbers, no text of any page. Needs numpy, lightgbm,
lxml and markdown-it-py.
"""
import collections, gzip, json, pathlib, re, struct, subprocess, sys, tempfile

import lightgbm as lgb
import numpy as np

from grafts import grafted
from pages import read_all, words

FOLDS = 5
# As in src/content/model.rs.
STAGE, CERTAIN = 15, 2.5
# As in src/content/mod.rs.
SCENARIOS = [(0.0247, 0.0924), (0.1225, 0.2414), (0.6065, 0.3324), (3.004, 0.2414), (14.88, 0.0924)]
# The weight of a page with a grafted list, compared with other pages.
GRAFT_WEIGHT = 0.7
ROUNDS = 180
PARAMETERS = dict(objective="cross_entropy", num_leaves=32, learning_rate=0.08, min_data_in_leaf=100,
                  extra_trees=True, feature_fraction=0.4, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5.0,
                  max_bin=127, seed=1, num_threads=1, verbose=-1, deterministic=True)


def fold_letters(text):
    return re.sub(r"\W+", "", text or "").lower()


def is_title(text, title):
    """Is a block the title of the page, or the title with less other text than the title has?"""
    own = fold_letters(text)
    return len(own) > 5 and len(title) > 5 and (own == title or (title in own and len(own) < 2 * len(title)))


def labels(blocks, truth):
    """For each block, the share of its words that the ground truth has: by runs of four words if the block is
    long enough, else by whether its whole text is between the positions of its neighbours."""
    grams = collections.defaultdict(list)
    for at in range(len(truth) - 3):
        grams[tuple(truth[at:at + 4])].append(at)
    shares, positions = [None] * len(blocks), [None] * len(blocks)
    for number, block in enumerate(blocks):
        if len(block) < 4:
            continue
        hit = [False] * len(block)
        first = None
        for at in range(len(block) - 3):
            matches = grams.get(tuple(block[at:at + 4]))
            if matches:
                hit[at:at + 4] = [True] * 4
                first = matches[0] if first is None else first
        shares[number] = sum(hit) / len(block)
        positions[number] = first
    text = " " + " ".join(truth) + " "
    anchors = [n for n in range(len(blocks)) if shares[n] is not None and shares[n] > 0.6]
    for number, block in enumerate(blocks):
        if shares[number] is not None:
            continue
        if not block:
            shares[number] = 0.0
            continue
        found = " " + " ".join(block) + " " in text
        near = [a for a in anchors if abs(a - number) <= 6]
        before = [a for a in near if a < number]
        after = [a for a in near if a > number]
        if not found:
            shares[number] = 0.0
        elif before and after:
            low, high = positions[before[-1]], positions[after[0]]
            ordered = low is not None and high is not None and low <= high
            between = " " + " ".join(truth[low:high + 4]) + " " if ordered else text
            shares[number] = 1.0 if " " + " ".join(block) + " " in between else 0.3
        elif near:
            shares[number] = 0.8
        else:
            shares[number] = 0.35 if anchors else 0.8
    return shares


def resolve_uncertain(blocks, shares, truth):
    """Decides each uncertain label by whether the F1 of the page rises with the block."""
    left = collections.Counter(truth)
    taken = hits = 0

    def overlap(block):
        return sum(min(count, left[word]) for word, count in collections.Counter(block).items())

    for block, label in zip(blocks, shares):
        if label >= 0.85:
            hits += overlap(block)
            left.subtract({w: min(c, left[w]) for w, c in collections.Counter(block).items()})
            taken += len(block)
    for number in sorted(range(len(blocks)), key=lambda n: -shares[n]):
        block, label = blocks[number], shares[number]
        if not 0.05 < label < 0.85:
            continue
        more = overlap(block)
        before = 2 * hits / max(taken + len(truth), 1)
        after = 2 * (hits + more) / max(taken + len(block) + len(truth), 1)
        if after > before:
            shares[number] = 0.6 + 0.4 * more / len(block)
            left.subtract({w: min(c, left[w]) for w, c in collections.Counter(block).items()})
            hits, taken = hits + more, taken + len(block)
        else:
            shares[number] = 0.3 * label
    return shares


class Blocks:
    """The blocks of some pages: their features, labels and weights, page after page."""

    def __init__(self, pages, folds, program):
        self.pages, self.folds = pages, folds
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            for part in ("html", "ground-truth"):
                (folder / part).mkdir()
            # The program reads the pages in the order of their names.
            for number, page in enumerate(pages):
                (folder / "html" / f"{number:05}.html.gz").write_bytes(gzip.compress(page.html, 1))
                truth = json.dumps({"url": page.url}).encode()
                (folder / "ground-truth" / f"{number:05}.json.gz").write_bytes(gzip.compress(truth, 1))
            subprocess.run([program, scratch, scratch + "/blocks"], check=True)
            texts = [json.loads(line)["texts"] for line in open(scratch + "/blocks.jsonl")]
            numbers = np.fromfile(scratch + "/blocks.f32", dtype="<f4")
        self.words = [[words(text) for text in of_page] for of_page in texts]
        self.starts = np.cumsum([0] + [len(of_page) for of_page in texts])
        self.features = numbers.reshape(self.starts[-1], -1)
        self.lengths = np.array([len(block) for of_page in self.words for block in of_page], dtype=float)
        labelled = [self.label(page, *of_page) for page, *of_page in zip(pages, texts, self.words)]
        self.y, self.weight = (np.concatenate(part) for part in list(zip(*labelled))[:2])
        self.trusts = [trust for _, _, trust in labelled]
        self.fold = np.repeat(folds, np.diff(self.starts))

    @staticmethod
    def label(page, texts, blocks):
        """The labels and weights of the blocks of a page, and how well they reproduce its truth."""
        shares = resolve_uncertain(blocks, labels(blocks, page.target), page.target)
        size = np.array([len(block) for block in blocks], dtype=float)
        # Each page has about the same weight, divided among its blocks by their words; short blocks have a
        # little more. The error of a block is relative to the words of the ground truth, but is bounded by
        # the words of the page.
        norm = max(min(size.sum(), 1.5 * len(page.target)), 30)
        # If the blocks of a page cannot reproduce its ground truth, the truth is of another version of the
        # page. Such a page has little weight.
        chosen = [word for block, share in zip(blocks, shares) if share >= 0.5 for word in block]
        trust = score(chosen, page.target)
        reliable = trust ** 2 if trust >= 0.5 else 0.02
        # It is arbitrary whether a ground truth includes the title, and a rule keeps it: titles have weight
        # zero.
        title = fold_letters(page.title)
        titles = np.array([is_title(text, title) for text in texts], dtype=bool)
        return np.array(shares), np.where(titles, 0, (size ** 0.85 + 0.5) / norm * 100 * reliable), trust


def fit(features, y, weight):
    return lgb.train(PARAMETERS, lgb.Dataset(features, y, weight=weight), ROUNDS)


def predict(model, features):
    """The same as `likelihoods` in src/content/model.rs: blocks with a certain score exit early."""
    sums, active = np.zeros(len(features)), np.arange(len(features))
    for start in range(0, ROUNDS, STAGE):
        if len(active):
            sums[active] += model.predict(features[active], raw_score=True, start_iteration=start,
                                          num_iteration=STAGE)
            active = active[np.abs(sums[active]) < CERTAIN]
    return 1 / (1 + np.exp(-sums))


def table(model):
    """The trees in the binary format that src/content/model.rs reads."""
    info = model.dump_model()["tree_info"]
    out = [struct.pack("<H", len(info))]
    for tree in info:
        splits, leaves = [], []

        def visit(node):
            if "split_feature" not in node:
                leaves.append(node["leaf_value"])
                return -len(leaves)
            at = len(splits)
            splits.append(None)
            left, right = visit(node["left_child"]), visit(node["right_child"])
            splits[at] = (node["split_feature"], node["threshold"], left, right)
            return at

        visit(tree["tree_structure"])
        out.append(struct.pack("<B", len(splits)))
        out += [struct.pack("<Hfbb", *split) for split in splits]
        out += [struct.pack("<f", leaf) for leaf in leaves]
    return b"".join(out)


def score(kept, truth):
    a, b = collections.Counter(kept), collections.Counter(truth)
    if not b:
        return float(not a)
    return 2 * sum((a & b).values()) / (sum(a.values()) + sum(b.values()))


def choose(likely, lengths):
    """The same as `choose` in src/content/mod.rs."""
    if not len(likely):
        return likely > 0
    order = np.argsort(-likely, kind="stable")
    taken, f1 = np.cumsum(lengths[order]), np.zeros(len(likely))
    for factor, weight in SCENARIOS:
        expected = lengths * factor * likely / (factor * likely + 1 - likely)
        f1 += weight * 2 * np.cumsum(expected[order]) / np.maximum(taken + expected.sum(), 1e-9)
    return likely >= likely[order[len(f1) - 1 - int(np.argmax(f1[::-1]))]]


def main():
    data, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    pages = read_all(data)
    rng = np.random.default_rng(7)
    # Pages of one site stay in one fold.
    fold_of = {site: int(rng.integers(FOLDS)) for site in sorted({page.site for page in pages})}
    plain = Blocks(pages, [fold_of[page.site] for page in pages], program)
    # Lists are exchanged only between pages of one fold.
    extra, folds = zip(*grafted(pages, plain.folds, np.diff(plain.starts), plain.trusts))
    extra = Blocks(list(extra), list(folds), program)
    extra.weight *= GRAFT_WEIGHT
    features, y, weight, fold = (np.concatenate([getattr(plain, part), getattr(extra, part)])
                                 for part in ("features", "y", "weight", "fold"))
    if "--model-only" not in sys.argv:
        cross_validate(plain, features, y, weight, fold)
    if "--cross-validate" in sys.argv:
        return
    target = pathlib.Path(__file__).parent.parent / "src" / "content" / "model.bin"
    target.write_bytes(table(fit(features, y, weight)))
    print("model:", target.stat().st_size, "bytes,", features.shape[1], "features per block")


def cross_validate(plain, features, y, weight, fold):
    """Prints the F1 on sites that the model was not trained on, and the F1 of the labels, by kind of page."""
    likely = np.zeros(len(plain.y))
    for k in range(FOLDS):
        model = fit(features[fold != k], y[fold != k], weight[fold != k])
        likely[plain.fold == k] = predict(model, plain.features[plain.fold == k])
    for name, values in (("unseen sites", likely), ("labels", plain.y)):
        by_kind = collections.defaultdict(list)
        for number, page in enumerate(plain.pages):
            part = slice(plain.starts[number], plain.starts[number + 1])
            kept = choose(values[part], plain.lengths[part])
            kept_words = [word for keep, block in zip(kept, plain.words[number]) if keep for word in block]
            by_kind[page.kind].append(score(kept_words, page.target))
        everything = [f1 for kind, of_kind in by_kind.items() for f1 in of_kind
                      if kind not in ("readability", "defuddle")]
        kinds = {kind: round(float(np.mean(of_kind)), 3) for kind, of_kind in sorted(by_kind.items())}
        print(f"{name:13s} F1 {np.mean(everything):.4f}", kinds)


if __name__ == "__main__":
    main()
