//! How pages are read: tables, code, clauses, answers, tables of contents and numbers of lines.

use gleaner_pdf::{Options, convert};
use gleaner_testkit::pdf::{file, stream};

/// Fonts of the pages: usual text, code and signs.
const TEXT: &str = "/F1 11";
const CODE: &str = "/F2 10";
const SIGNS: &str = "/F3 11";

/// Shows a text at a place.
fn show(font: &str, x: f32, y: f32, text: &str) -> String {
    let text = text.replace('(', "\\(").replace(')', "\\)");
    format!("BT {font} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Lines below each other.
fn lines(font: &str, x: f32, top: f32, step: f32, lines: &[&str]) -> String {
    lines.iter().enumerate().map(|(at, line)| show(font, x, top - step * at as f32, line)).collect()
}

/// The Markdown of pages with these contents.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn markdown(contents: &[String]) -> String {
    let font = |name: &str| format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} >>").into_bytes();
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 6 + 2 * page)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()).into_bytes(),
        font("Helvetica"),
        font("Courier"),
        font("ZapfDingbats"),
    ];
    for (page, content) in contents.iter().enumerate() {
        let fonts = "<< /F1 3 0 R /F2 4 0 R /F3 5 0 R >>";
        let entries = format!("/Resources << /Font {fonts} >> /Contents {} 0 R", 7 + 2 * page);
        objects
            .push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {entries} >>").into_bytes());
        objects.push(stream("", content.as_bytes()));
    }
    convert(&file(&objects, ""), &Options::default()).unwrap().markdown
}

#[track_caller]
fn assert_lines(markdown: &str, expected: &[&str]) {
    for line in expected {
        assert!(markdown.lines().any(|found| found == *line), "{line:?} is missing in:\n{markdown}");
    }
}

#[test]
fn clauses_keep_their_letters_and_numbers() {
    let page = [
        lines(TEXT, 72.0, 720.0, 14.0, &["1. The tenant has these duties:"]),
        lines(TEXT, 92.0, 706.0, 14.0, &["(a) to keep the gate closed at night;", "(b) to pay the rent."]),
        lines(TEXT, 72.0, 678.0, 14.0, &["2. The landlord mends the weir, see 1(b)."]),
    ];
    assert_lines(
        &markdown(&[page.concat()]),
        &[
            "1. The tenant has these duties:",
            "   - (a) to keep the gate closed at night;",
            "   - (b) to pay the rent.",
            "2. The landlord mends the weir, see 1(b).",
        ],
    );
}

#[test]
fn answers_keep_their_ticks() {
    let answers = [("4", "Smoker"), ("o", "Diabetic"), ("4", "Allergic to penicillin"), ("o", "Pregnant")];
    let answer = |(at, (sign, text)): (usize, &(&str, &str))| {
        let y = 700.0 - 18.0 * at as f32;
        show(SIGNS, 72.0, y, sign) + &show(TEXT, 90.0, y, text)
    };
    let page: String = answers.iter().enumerate().map(answer).collect();
    let found = markdown(&[page]);
    assert_lines(&found, &["- ✔ Smoker", "- ❏ Diabetic", "- ✔ Allergic to penicillin", "- ❏ Pregnant"]);
}

#[test]
fn entries_of_a_table_of_contents_are_lines() {
    let entries = [("1 Introduction", "1"), ("2 The wheels and their stones", "4"), ("3 Sources", "120")];
    let page = entries.iter().enumerate().map(|(at, (title, number))| {
        let y = 700.0 - 18.0 * at as f32;
        show(TEXT, 72.0, y, &format!("{title} {}", ".".repeat(90 - title.len())))
            + &show(TEXT, 510.0, y, number)
    });
    let found = markdown(&[page.collect::<String>()]);
    assert!(
        !found.lines().any(|line| line.contains("Introduction") && line.contains("wheels")),
        "two entries in one line:\n{found}"
    );
    assert!(!found.contains('#'), "an entry is a heading:\n{found}");
}

#[test]
fn a_page_of_code_keeps_its_lines_and_indents() {
    let code = [
        (72.0, "def level(path):"),
        (96.0, "with open(path) as file:"),
        (120.0, "value = read(file)     # in metres"),
        (120.0, "return value"),
        (72.0, "print(level(name))"),
    ];
    let mut page = show(TEXT, 72.0, 720.0, "Use this program.");
    for (at, (x, line)) in code.iter().enumerate() {
        page += &show(CODE, *x, 696.0 - 12.0 * at as f32, line);
    }
    page += &show(TEXT, 72.0, 620.0, "Then it ends.");
    let expected = "```\ndef level(path):\n    with open(path) as file:\n        value = read(file)     # in metres\n        \
                    return value\nprint(level(name))\n```";
    let found = markdown(&[page]);
    assert!(found.contains(expected), "{found}");
}

#[test]
fn numbers_of_lines_in_the_margin_are_no_text() {
    const LINES: [&str; 7] = [
        "The plaintiff bought the barge in March and paid the whole price",
        "before delivery. The defendant promised in writing that the hull",
        "was sound and that no part of it had been repaired. In June the",
        "barge took on water at its moorings and sank within the hour. A",
        "diver found that a plate below the waterline had been patched with",
        "lead. The patch was older than the contract and could be seen from",
        "inside the hold.",
    ];
    let page = |lines: &[&str]| -> String {
        let line = |(at, line): (usize, &&str)| {
            let y = 700.0 - 24.0 * at as f32;
            show(TEXT, 60.0, y, &(at + 1).to_string()) + &show(TEXT, 90.0, y, line)
        };
        lines.iter().enumerate().map(line).collect()
    };
    let found = markdown(&[page(&LINES), page(&LINES[..2])]);
    assert!(!found.chars().any(|c| c.is_ascii_digit()), "{found}");
    assert!(found.contains("paid the whole price before delivery."), "{found}");
}

#[test]
fn turned_heads_are_those_of_their_columns() {
    let mut page = show(TEXT, 72.0, 640.0, "Family");
    for (x, head) in [(260, "Granite"), (320, "Basalt"), (380, "Quartz")] {
        page += &format!("BT /F1 10 Tf 0 1 -1 0 {x} 640 Tm ({head}) Tj ET\n");
    }
    for (row, cells) in
        [["Berg", "3", "1", "0"], ["Dahl", "2", "2", "1"], ["Falk", "0", "4", "2"]].iter().enumerate()
    {
        for (x, cell) in [72.0, 252.0, 312.0, 372.0].into_iter().zip(cells) {
            page += &show(TEXT, x, 615.0 - 18.0 * row as f32, cell);
        }
    }
    assert_lines(
        &markdown(&[page]),
        &["| Family | Granite | Basalt | Quartz |", "| Berg | 3 | 1 | 0 |", "| Falk | 0 | 4 | 2 |"],
    );
}

#[test]
fn a_table_over_two_columns_is_whole() {
    let text = [
        "The river gave the town its name and",
        "its trade. Eleven wheels turned day and",
        "night, and the noise of the stones was",
        "heard on the hill. In dry summers the",
        "guild met each week to divide the water,",
        "and the minutes fill four volumes today.",
    ];
    let rows = [
        ["Month", "Days", "Litres", "Families", "Fines"],
        ["May", "3", "900", "11", "0"],
        ["June", "9", "640", "11", "2"],
        ["July", "14", "310", "9", "7"],
    ];
    let mut page = String::new();
    for x in [60.0, 322.0] {
        page += &lines(TEXT, x, 720.0, 13.0, &text);
        page += &lines(TEXT, x, 500.0, 13.0, &text);
    }
    for (row, cells) in rows.iter().enumerate() {
        for (x, cell) in [60.0, 165.0, 250.0, 375.0, 480.0].into_iter().zip(cells) {
            page += &show(TEXT, x, 600.0 - 14.0 * row as f32, cell);
        }
    }
    assert_lines(
        &markdown(&[page]),
        &[
            "| Month | Days | Litres | Families | Fines |",
            "| May | 3 | 900 | 11 | 0 |",
            "| July | 14 | 310 | 9 | 7 |",
        ],
    );
}

#[test]
fn empty_cells_of_a_tagged_table_keep_their_columns() {
    // Each cell with its place; empty ones are left out.
    let rows: [&[(&str, f32)]; 4] = [
        &[("2021", 172.0), ("2022", 222.0), ("2023", 272.0)],
        &[("Wheat", 72.0), ("5", 190.0), ("7", 240.0), ("9", 290.0)],
        &[("Rye", 72.0), ("3", 240.0), ("4", 290.0)],
        &[("Oats", 72.0), ("2", 190.0), ("8", 290.0)],
    ];
    let mut content = String::new();
    // Object 6 is the table; its rows and cells follow.
    let (mut elements, mut row_names, mut cell_names) = (Vec::new(), Vec::new(), Vec::new());
    for (at, row) in rows.iter().enumerate() {
        let name = 8 + elements.len();
        let kids: Vec<String> = (1..=row.len()).map(|cell| format!("{} 0 R", name + cell)).collect();
        let kids = kids.join(" ");
        elements.push(format!("<< /Type /StructElem /S /TR /P 6 0 R /K [{kids}] >>").into_bytes());
        row_names.push(format!("{name} 0 R"));
        cell_names.push(kids);
        for (text, x) in *row {
            let mark = elements.len() - at - 1;
            elements.push(
                format!("<< /Type /StructElem /S /TD /P {name} 0 R /K {mark} /Pg 3 0 R >>").into_bytes(),
            );
            let text = show(TEXT, *x, 700.0 - 16.0 * at as f32, text);
            content += &format!("/TD << /MCID {mark} >> BDC\n{text}EMC\n");
        }
    }
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /StructParents 0 /Contents 7 0 R \
                /Resources << /Font << /F1 4 0 R >> >> >>";
    let parents = format!("<< /Nums [0 [{}]] >>", cell_names.join(" "));
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 5 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.as_bytes().to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
        format!("<< /Type /StructTreeRoot /K 6 0 R /ParentTree {parents} >>").into_bytes(),
        format!("<< /Type /StructElem /S /Table /P 5 0 R /K [{}] >>", row_names.join(" ")).into_bytes(),
        stream("", content.as_bytes()),
    ];
    objects.append(&mut elements);
    let found = convert(&file(&objects, ""), &Options::default()).unwrap().markdown;
    assert_lines(
        &found,
        &["|  | 2021 | 2022 | 2023 |", "| Wheat | 5 | 7 | 9 |", "| Rye |  | 3 | 4 |", "| Oats | 2 |  | 8 |"],
    );
}
