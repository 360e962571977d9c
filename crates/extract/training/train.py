#!/usr/bin/env python3
"""Trains the model that chooses among the options of a field, and writes it with the models of the folds.

    python3 training/train.py --out FOLDER NAME[@WEIGHT]...
    python3 training/train.py --report [--rounds N] NAME[@WEIGHT]...
    python3 training/train.py --check

NAME.meta.jsonl and NAME.f32 come from `evaluate fields DIR --options NAME` and from `evaluate product DIR
--options NAME`. WEIGHT (1 if not given) is the weight of a page of this set. The first form writes
FOLDER/fold-0.bin to fold-4.bin, each trained without the sites of its fold, and FOLDER/model.bin from all
sites. The second form only prints precision and recall on sites that the models were not trained on. The
third tests this program on small random data.

The files contain only numbers, in the format of `src/bind/score/model.rs`. Needs numpy and lightgbm.
"""
import argparse, collections, itertools, json, math, pathlib, struct, sys, tempfile

import lightgbm as lgb
import numpy as np

FOLDS, ROUNDS = 5, 400
PARAMETERS = dict(objective="binary", num_leaves=24, learning_rate=0.1, min_data_in_leaf=40,
                  feature_fraction=0.4, lambda_l2=5.0, max_bin=127, seed=1, num_threads=1,
                  verbose=-1, deterministic=True, force_col_wise=True, use_missing=False)
# Wrong options of a field that are trained on. Others are left out by chance, and these count for them.
MAX_WRONG = 24
# The precision that a bound is chosen for, on pages without structured data.
TARGET = 0.96
LOWEST, HIGHEST = 0.5, 0.82
# Nothing is chosen that is more likely wrong than right. A likelihood of .82 is enough for any group: the values
# above it are right in .92 of the cases on average.
# Groups with a lower highest bound. The name of a thing is often its heading alone, which says little about
# it: with its own bound of .9, pages that show nothing but a heading and a price have no name. Codes and brands
# have few truths on pages without structured data, so a few that are wrong in the truth decide their bounds.
HIGHEST_OF = {"name": 0.72, "sku": 0.6, "brand": 0.7}
# Where fewer than this share of the values above the highest bound are right, the bound is higher.
FLOOR, MOST = 0.85, 0.92
# With fewer values, the precision less so many standard deviations (Wilson) must reach the target.
FEW, DEVIATIONS = 50, 1.0
MODES = ("stripped", "with_structured_data")
WRONG, RIGHT, UNJUDGED = 0, 1, 2


class Fields:
    """The fields of some option files. The options of a field are a range of rows."""

    def __init__(self, arguments):
        self.meta, self.sets, features, weights = [], [], [], []
        self.names = self.groups = None
        for argument in arguments:
            name, _, weight = argument.partition("@")
            with open(name + ".meta.jsonl") as lines:
                head = json.loads(next(lines))
                meta = [json.loads(line) for line in lines]
            if self.names not in (None, head["features"]) or self.groups not in (None, head["groups"]):
                sys.exit(f"{name}: other features or groups")
            self.names, self.groups = head["features"], head["groups"]
            features.append(np.fromfile(name + ".f32", "<f4"))
            count = sum(row["options"] for row in meta)
            if len(features[-1]) != count * len(self.names):
                sys.exit(f"{name}: {len(features[-1])} numbers for {count} options")
            self.meta += meta
            self.sets += [pathlib.Path(name).name] * len(meta)
            weights += [float(weight or 1)] * len(meta)
        if not self.meta:
            sys.exit("no field")
        self.features = np.concatenate(features).reshape(-1, len(self.names))
        # The extractor takes the left child for a feature that is no number.
        np.nan_to_num(self.features, copy=False, nan=np.finfo("f4").min)
        sizes = np.array([row["options"] for row in self.meta])
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        letters = "".join(row["outcomes"] for row in self.meta)
        self.outcomes = np.array(["wru".index(letter) for letter in letters], dtype=np.int8)
        self.fold = np.array([row["fold"] for row in self.meta])
        self.group = np.array([row["group"] or 0 for row in self.meta])
        # A site with very many pages must not dominate.
        pages = collections.defaultdict(set)
        for name, row in zip(self.sets, self.meta):
            pages[row["site"]].add((name, row["id"]))
        self.weight = np.array(weights) / np.sqrt([len(pages[row["site"]]) for row in self.meta])
        self.field = np.repeat(np.arange(len(self.meta)), sizes)
        self.kept, self.row_weight = self.training_rows()

    def training_rows(self):
        """The rows to train on, and their weights: those of a field sum up to the weight of the field."""
        rng = np.random.default_rng(7)
        kept, weights = [], []
        for number in range(len(self.meta)):
            rows = np.arange(self.starts[number], self.starts[number + 1])
            outcomes = self.outcomes[rows]
            right, wrong = rows[outcomes == RIGHT], rows[outcomes == WRONG]
            judged = len(right) + len(wrong)
            if not judged:
                continue
            some = wrong
            if len(wrong) > MAX_WRONG:
                some = np.sort(rng.choice(wrong, MAX_WRONG, replace=False))
            kept += [right, some]
            share = self.weight[number] / judged
            weights.append(np.full(len(right), share))
            weights.append(np.full(len(some), share * len(wrong) / max(len(some), 1)))
        if not kept:
            sys.exit("no option is right or wrong")
        return np.concatenate(kept), np.concatenate(weights)


class Trainer:
    """Trains models on some folds. The features are put into bins only once."""

    def __init__(self, fields, rounds):
        self.fields, self.rounds, self.known = fields, rounds, {}
        weight = fields.row_weight / fields.row_weight.mean()
        self.data = lgb.Dataset(fields.features[fields.kept], fields.outcomes[fields.kept] == RIGHT,
                                weight=weight, params=PARAMETERS).construct()
        self.fold = fields.fold[fields.field[fields.kept]]

    def train(self, *without):
        rows = np.flatnonzero(~np.isin(self.fold, without))
        data = self.data.subset(rows.tolist()) if without else self.data
        return lgb.train(PARAMETERS, data, self.rounds)

    def out_of_fold(self, *without):
        """The probability of each option by a model that was trained neither on its fold nor on `without`;
        not a number in the folds of `without`."""
        fields = self.fields
        found = np.full(len(fields.features), np.nan)
        for fold in set(range(FOLDS)) - set(without):
            rows = fields.fold[fields.field] == fold
            if rows.any():
                found[rows] = self.model(fold, *without).predict(fields.features[rows])
        return found

    def model(self, *without):
        """Two folds need the model without both, whichever comes first."""
        key = tuple(sorted(without))
        if key not in self.known:
            self.known[key] = self.train(*key)
        return self.known[key]


class Choices:
    """The best option of each field that has any."""

    def __init__(self, fields, likely):
        self.number, self.row = [], []
        for number, (start, end) in enumerate(itertools.pairwise(fields.starts)):
            if start < end and not math.isnan(likely[start]):
                self.number.append(number)
                self.row.append(start + int(np.argmax(likely[start:end])))
        self.number, self.row = np.array(self.number, dtype=int), np.array(self.row, dtype=int)
        self.likely = likely[self.row]
        self.outcome = fields.outcomes[self.row]


def bounds(fields, choices):
    """For each group the lowest bound at which the values chosen without structured data are precise."""
    stripped = np.array([fields.meta[number]["mode"] == MODES[0] for number in choices.number], dtype=bool)
    judged = stripped & (choices.outcome != UNJUDGED)
    group = fields.group[choices.number]
    weight = fields.weight[choices.number]
    out = []
    for number in range(len(fields.groups)):
        own = judged & (group == number)
        arrays = choices.likely[own], choices.outcome[own] == RIGHT, weight[own]
        highest = HIGHEST_OF.get(fields.groups[number], HIGHEST)
        out.append(raised(min(bound(*arrays), highest), *arrays))
    return np.array(out)


def bound(likely, right, weight):
    order = np.argsort(-likely, kind="stable")
    likely, right, weight = likely[order], right[order], weight[order]
    total = np.cumsum(weight)
    share = np.cumsum(weight * right) / np.maximum(total, 1e-12)
    # The number of equally weighted values that say as much.
    count = total ** 2 / np.maximum(np.cumsum(weight ** 2), 1e-12)
    least = np.where(count < FEW, lower_limit(share, count), share)
    # Between this value and the next one, unless both are equally likely.
    following = np.append(likely[1:], 0.0)
    is_good = np.flatnonzero((least >= TARGET) & (likely > following))
    if not len(is_good):
        return HIGHEST
    last = is_good[-1]
    return float(np.clip((likely[last] + following[last]) / 2, LOWEST, HIGHEST))


def raised(least, likely, right, weight):
    """The bound, or the next higher one at which enough values are right."""
    for limit in np.append(least, np.arange(math.ceil(least * 100 + 1) / 100, MOST, 0.01)):
        given = likely >= limit
        if not given.any() or np.average(right[given], weights=weight[given]) >= FLOOR:
            return limit
    return MOST


def lower_limit(share, count):
    """Wilson's lower confidence limit."""
    z, count = DEVIATIONS, np.maximum(count, 1e-12)
    middle = share + z * z / (2 * count)
    spread = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count ** 2))
    return (middle - spread) / (1 + z * z / count)


class Count:
    """The sums over the fields of a line of the report."""

    def __init__(self):
        self.truths = self.right = self.wrong = self.wrong_truths = self.unjudged = 0

    def line(self, *names):
        precision = self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0
        recall = self.right / self.truths if self.truths else 0.0
        silent = self.truths - self.right - self.wrong_truths
        return (f"  {names[0]:14}{names[1]:18}{self.truths:7}{self.right:7}{self.wrong:7}{silent:8}"
                f"{self.unjudged:10}{precision:11.3f}{recall:8.3f}")

    def add(self, has_truth, outcome):
        self.truths += has_truth
        if outcome == RIGHT:
            self.right += 1
        elif outcome == WRONG:
            self.wrong += 1
            self.wrong_truths += has_truth
        elif outcome == UNJUDGED:
            self.unjudged += 1


def report(fields, choices, bound_of_field):
    """Precision and recall of the best options above their bounds."""
    given = np.full(len(fields.meta), -1)
    is_given = choices.likely >= bound_of_field[choices.number]
    given[choices.number[is_given]] = choices.outcome[is_given]
    head = "truths  right  wrong  silent  unjudged  precision  recall"
    for mode in MODES:
        counts = collections.defaultdict(Count)
        for row, name, outcome in zip(fields.meta, fields.sets, given):
            if row["mode"] == mode:
                kind = row["kind"]
                for key in ((kind, row["property"]), (kind, "all"), ("all", ""), ("in " + name, "")):
                    counts[key].add(row["state"] == "shown", outcome)
        print(f"{mode}, single values\n  {'kind':14}{'property':18} {head}")
        # The sets come after the kinds.
        for key in sorted(counts, key=lambda key: (key[0] == "all", key[0].startswith("in "), key[0],
                                                   key[1] == "all", key[1])):
            print(counts[key].line(*key))


def fingerprint(names):
    """FNV-1a of the names of the features, each with a line break behind it."""
    found = 0xCBF29CE484222325
    for byte in "".join(f"{name}\n" for name in names).encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found


def table(model, bounds, names):
    """The model in the format of `src/bind/score/model.rs`."""
    assert model.num_feature() == len(names)
    out, constant = [], 0.0
    for tree in model.dump_model()["tree_info"]:
        splits, leaves = [], []

        def visit(node):
            if "split_feature" not in node:
                leaves.append(node["leaf_value"])
                return -len(leaves)
            assert node["decision_type"] == "<="
            at = len(splits)
            splits.append(None)
            left, right = visit(node["left_child"]), visit(node["right_child"])
            splits[at] = (node["split_feature"], at_most(node["threshold"]), left, right)
            return at

        visit(tree["tree_structure"])
        if splits:
            out.append((splits, leaves))
        else:
            constant += leaves[0]
    if not out:
        out.append(([(0, 0.0, -1, -2)], [0.0, 0.0]))
    out[0] = (out[0][0], [leaf + constant for leaf in out[0][1]])
    data = [struct.pack("<HQH", len(names), fingerprint(names), len(bounds)),
            np.asarray(bounds, "<f4").tobytes(), struct.pack("<H", len(out))]
    for splits, leaves in out:
        data.append(struct.pack("<B", len(splits)))
        data += [struct.pack("<Hfbb", *split) for split in splits]
        data.append(np.asarray(leaves, "<f4").tobytes())
    return b"".join(data)


def at_most(threshold):
    """The greatest f32 that is at most the threshold: features are f32 and compare the same with it."""
    rounded = np.float32(threshold)
    return float(rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf)))


def read(data):
    """A written model: the number of features, the bounds, and a function from rows to probabilities."""
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values

    features, _, groups = take("HQH")
    limits = take(f"{groups}f")
    trees = []
    for _ in range(take("H")[0]):
        count = take("B")[0]
        trees.append(([take("Hfbb") for _ in range(count)], take(f"{count + 1}f")))
    assert at == len(data)

    def predict(rows):
        sums = np.zeros(len(rows))
        for number, row in enumerate(rows):
            for splits, leaves in trees:
                node = 0
                while node >= 0:
                    feature, threshold, left, right = splits[node]
                    child = left if row[feature] <= threshold else right
                    assert child < 0 or child > node
                    node = child
                sums[number] += leaves[-node - 1]
        return 1 / (1 + np.exp(-sums))

    return features, limits, predict


def run(names, out, rounds):
    """Prints the report and, with a folder, writes the models."""
    fields = Fields(names)
    print(f"{len(fields.meta)} fields with {len(fields.features)} options, {len(fields.kept)} to train on, "
          f"{len(fields.names)} features", flush=True)
    trainer = Trainer(fields, rounds)
    likely = trainer.out_of_fold()
    bound_of_field, of_fold = np.zeros(len(fields.meta)), []
    for fold in range(FOLDS):
        if out:
            # Nothing of a fold, not even its bounds, comes from its own sites.
            others = trainer.out_of_fold(fold)
        else:
            others = np.where(fields.fold[fields.field] == fold, np.nan, likely)
        of_fold.append(bounds(fields, Choices(fields, others)))
        own = fields.fold == fold
        bound_of_field[own] = of_fold[-1][fields.group[own]]
    choices = Choices(fields, likely)
    report(fields, choices, bound_of_field)
    limits = bounds(fields, choices)
    print("bounds:", ", ".join(f"{name} {limit:.3f}" for name, limit in zip(fields.groups, limits)))
    if out:
        folder = pathlib.Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        for fold in range(FOLDS):
            (folder / f"fold-{fold}.bin").write_bytes(table(trainer.model(fold), of_fold[fold], fields.names))
        data = table(trainer.model(), limits, fields.names)
        (folder / "model.bin").write_bytes(data)
        print("model.bin:", len(data), "bytes")
    return fields, trainer, likely


def check():
    """Tests this program on small random data."""
    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as scratch:
        name = scratch + "/cups"
        weights, meta, features = rng.normal(size=12), [], []
        for number in range(600):
            site = f"site{number % 60}.example"
            for mode, property in itertools.product(MODES, ("title", "price")):
                count = int(rng.integers(0, 40))
                rows = rng.normal(size=(count, 12)).astype("<f4")
                rows[:, 3] = np.round(rows[:, 3])
                outcomes = ["w"] * count
                if count and number % 7:
                    at = int(rng.integers(count))
                    rows[at] += 2.5 * np.sign(weights)
                    outcomes[at] = "r"
                if count > 30 and outcomes[0] == "w":
                    outcomes[0] = "u"
                meta.append({"id": str(number), "site": site, "fold": number % 60 % FOLDS, "mode": mode,
                             "kind": "Product", "property": property, "name": property,
                             "group": int(property == "price") if count else None, "options": count,
                             "state": "shown" if number % 7 else "absent", "outcomes": "".join(outcomes),
                             "values": ["x"] * count, "scores": [0.5] * count})
                features.append(rows)
        head = {"features": [f"f{at}" for at in range(12)], "groups": ["text", "number"]}
        lines = "".join(json.dumps(row) + "\n" for row in [head, *meta])
        pathlib.Path(name + ".meta.jsonl").write_text(lines)
        np.concatenate(features).tofile(name + ".f32")
        fields, trainer, likely = run([name], scratch + "/out", 40)
        rows = rng.permutation(len(fields.features))[:2000]
        for fold in range(FOLDS):
            count, limits, predict = read(pathlib.Path(f"{scratch}/out/fold-{fold}.bin").read_bytes())
            assert count == 12 and len(limits) == 2
            assert all(LOWEST - 1e-6 <= limit <= HIGHEST + 1e-6 for limit in limits)
            expected = trainer.model(fold).predict(fields.features[rows])
            assert np.abs(predict(fields.features[rows]) - expected).max() < 1e-5
            own = rows[fields.fold[fields.field[rows]] == fold]
            assert np.abs(predict(fields.features[own]) - likely[own]).max() < 1e-5
        again = Trainer(fields, 40)
        two = [table(of.model(0), [0.5], fields.names) for of in (again, trainer)]
        assert two[0] == two[1], "two runs differ"
        flat = np.zeros((200, 12))
        constant = lgb.train(PARAMETERS, lgb.Dataset(flat, np.arange(200) % 4 == 0), 3)
        _, _, predict = read(table(constant, [0.5], [str(at) for at in range(12)]))
        assert np.abs(predict(flat[:3]) - constant.predict(flat[:3])).max() < 1e-5
    # The weights of a field sum up to the weight of the field, however many options are left out.
    per_field = np.bincount(fields.field[fields.kept], fields.row_weight, len(fields.meta))
    judged = np.bincount(fields.field[fields.outcomes != UNJUDGED], minlength=len(fields.meta)) > 0
    assert np.allclose(per_field[judged], fields.weight[judged])
    many = np.linspace(0.99, 0.4, 200)
    limit = bound(many, np.arange(200) < 120, np.ones(200))
    assert abs(np.mean(np.arange(200)[many >= limit] < 120) - TARGET) < 0.01, limit
    assert bound(many[:10], np.ones(10, bool), np.ones(10)) == HIGHEST
    assert bound(many[:60], np.ones(60, bool), np.ones(60)) < many[59]
    assert bound(np.array([]), np.array([], bool), np.array([])) == HIGHEST
    assert raised(0.5, np.array([0.9, 0.6]), np.array([True, False]), np.ones(2)) > 0.6
    assert raised(0.5, np.array([0.9, 0.6]), np.array([True, True]), np.ones(2)) == 0.5
    assert raised(0.5, np.array([0.99, 0.6]), np.array([False, True]), np.ones(2)) == MOST
    print("check: passed")


def main():
    parser = argparse.ArgumentParser(description="See the head of this file.")
    parser.add_argument("names", nargs="*", metavar="NAME[@WEIGHT]")
    parser.add_argument("--out", metavar="FOLDER")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    if not arguments.names or arguments.report == bool(arguments.out):
        parser.error("needs names, and either --out or --report")
    run(arguments.names, arguments.out, arguments.rounds)


if __name__ == "__main__":
    main()
