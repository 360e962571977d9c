#!/usr/bin/env python3
"""Trains the main-content model of this crate and writes src/content/model.bin.

    cargo build --release -p gleaner-transform --example blocks
    python3 training/train.py FOLDER PATH/TO/blocks [--cross-validate | --model-only]

FOLDER has the layout of the WCXB data set (CC-BY-4.0): html/ID.html.gz and ground-truth/ID.json.gz with `url`
and `ground_truth.main_content`. Text blocks and their features come from the crate itself
(examples/blocks.rs). A block is labelled by the share of its words that the ground truth has in the same
order. The program first prints the F1 on pages of sites that the models were not trained on (not with
--model-only), then writes the model of all pages (not with --cross-validate). The model contains only
numbers, no text of any page. Needs numpy and lightgbm.
"""
import collections, gzip, json, pathlib, re, struct, subprocess, sys, tempfile
from urllib.parse import urlsplit

import lightgbm as lgb
import numpy as np

FOLDS = 5
# As in src/content/model.rs.
STAGE, CERTAIN = 15, 2.5
WORDS = re.compile(r"\w+")
ROUNDS = 180
PARAMETERS = dict(objective="cross_entropy", num_leaves=32, learning_rate=0.08, min_data_in_leaf=100,
                  extra_trees=True, feature_fraction=0.4, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5.0,
                  max_bin=127, seed=1, num_threads=1, verbose=-1, deterministic=True)


def words(text):
    return WORDS.findall((text or "").lower())


def load(path):
    return json.loads(gzip.open(path).read())


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


def read(program, folder, out):
    subprocess.run([program, str(folder), out], check=True)
    pages = [json.loads(line) for line in open(out + ".jsonl")]
    count = sum(len(p["texts"]) for p in pages)
    return pages, np.fromfile(out + ".f32", dtype="<f4").reshape(count, -1)


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
    order = np.argsort(-likely, kind="stable")
    taken, hits, expected = 0.0, 0.0, float((likely * lengths).sum())
    best, threshold = 0.0, np.inf
    for at in order:
        taken += lengths[at]
        hits += lengths[at] * likely[at]
        f1 = 2 * hits / (taken + expected) if taken + expected else 0.0
        if f1 >= best:
            best, threshold = f1, likely[at]
    return likely >= min(threshold, 0.5)


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    scratch = tempfile.mkdtemp()
    pages, features = read(program, folder, scratch + "/blocks")
    truths = [load(folder / "ground-truth" / (p["id"] + ".json.gz")) for p in pages]
    rng = np.random.default_rng(7)
    # Pages of one site stay in one fold.
    site = [".".join(urlsplit(t["url"]).hostname.split(".")[-2:]) for t in truths]
    fold_of = {s: int(rng.integers(FOLDS)) for s in sorted(set(site))}
    y, weight, fold, lengths, starts = [], [], [], [], [0]
    block_words = []
    for page, truth, s in zip(pages, truths, site):
        target = words(truth["ground_truth"].get("main_content"))
        blocks = [words(t) for t in page["texts"]]
        block_words.append((blocks, target))
        page_labels = resolve_uncertain(blocks, labels(blocks, target), target)
        size = np.array([len(b) for b in blocks], dtype=float)
        y += page_labels
        lengths += list(size)
        # Each page has about the same weight, divided among its blocks by their words; short blocks have a
        # little more. The error of a block is relative to the words of the ground truth, but is bounded by
        # the words of the page.
        norm = max(min(size.sum(), 1.5 * len(target)), 30)
        # If the blocks of a page cannot reproduce its ground truth, the truth is of another version of the
        # page. Such a page has little weight.
        chosen = [w for block, label in zip(blocks, page_labels) if label >= 0.5 for w in block]
        trust = score(chosen, target)
        trust = trust ** 2 if trust >= 0.5 else 0.02
        # It is arbitrary whether a ground truth includes the title, and a rule keeps it: titles have weight
        # zero.
        title = fold_letters(truth["ground_truth"].get("title"))
        titles = np.array([is_title(t, title) for t in page["texts"]])
        weight += list(np.where(titles, 0, (size ** 0.85 + 0.5) / norm * 100 * trust))
        fold += [fold_of[s]] * len(blocks)
        starts.append(starts[-1] + len(blocks))
    y, weight, fold, lengths = map(np.array, (y, weight, fold, lengths))

    if "--model-only" not in sys.argv:
        cross_validate(features, y, weight, fold, lengths, starts, truths, block_words)
    if "--cross-validate" in sys.argv:
        return
    target = pathlib.Path(__file__).parent.parent / "src" / "content" / "model.bin"
    target.write_bytes(table(fit(features, y, weight)))
    print("model:", target.stat().st_size, "bytes,", features.shape[1], "features per block")


def cross_validate(features, y, weight, fold, lengths, starts, truths, block_words):
    """Prints the F1 on sites that the model was not trained on, and the F1 of the labels, by kind of page."""
    likely = np.zeros(len(y))
    for k in range(FOLDS):
        train = fold != k
        model = fit(features[train], y[train], weight[train])
        likely[~train] = predict(model, features[~train])
    for name, values in (("unseen sites", likely), ("labels", y)):
        by_kind = collections.defaultdict(list)
        for n, truth in enumerate(truths):
            part = slice(starts[n], starts[n + 1])
            kept = choose(np.asarray(values[part], dtype=float), lengths[part])
            blocks, target = block_words[n]
            kept_words = [w for keep, block in zip(kept, blocks) if keep for w in block]
            by_kind[truth["_internal"]["page_type"]["primary"]].append(score(kept_words, target))
        everything = [v for scores in by_kind.values() for v in scores]
        kinds = {k: round(float(np.mean(v)), 3) for k, v in sorted(by_kind.items())}
        print(f"{name:13s} F1 {np.mean(everything):.4f}", kinds)


if __name__ == "__main__":
    main()
