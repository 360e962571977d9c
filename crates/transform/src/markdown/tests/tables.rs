//! Data tables.

use super::*;

#[test]
fn tables_become_markdown() {
    check(&[
        ("plain", "<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        (
            "alignment",
            "<table><tr><th align=left>A<th align=center>B<th style='text-align: right'>C<tr><td>1<td>2<td>3</table>",
            "| A | B | C |\n| :--- | :---: | ---: |\n| 1 | 2 | 3 |",
        ),
        (
            "without a header",
            "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
            "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |",
        ),
        (
            "pipes and blocks",
            "<table><tr><th>a|b<tr><td><p>x</p><p>y</p></table>",
            "| a\\|b |\n| --- |\n| x<br>y |",
        ),
        (
            "a single name below the column names is a group of rows",
            "<table><tr><th>N<th>A<th>C<tr><th colspan=3>One<tr><td>1<td>2<td>3<tr><th colspan=3>Two<tr><td>4<td>5<td>6</table>",
            "| N | A | C |\n| --- | --- | --- |\n| One | | |\n| 1 | 2 | 3 |\n| Two | | |\n| 4 | 5 | 6 |",
        ),
        (
            "spans",
            "<table><tr><th colspan=2>W<th>Z<tr><td rowspan=2>r<td>1<td>2<tr><td>3<td>4</table>",
            "| W | | Z |\n| --- | --- | --- |\n| r | 1 | 2 |\n| r | 3 | 4 |",
        ),
        ("caption", "<table><caption>C</caption><tr><th>A</table>", "C\n\n| A |\n| --- |"),
        (
            "list in a cell",
            "<table><tr><th>A<tr><td><ul><li>x<li>y</ul></table>",
            "| A |\n| --- |\n| - x<br>- y |",
        ),
        ("code in a cell", "<table><tr><th>A<tr><td><code>a|b</code></table>", "| A |\n| --- |\n| `a\\|b` |"),
    ]);
}

#[test]
fn a_block_in_a_cell_ends_its_line() {
    let cell = |inner: &str| {
        let markdown = html_to_markdown(&format!("<table><tr><th>A<tr><td>{inner}</table>"), None);
        markdown.rsplit('\n').next().unwrap().to_owned()
    };
    for block in ["h3", "h6", "address", "figure", "figcaption", "details", "fieldset", "footer", "p"] {
        assert_eq!(cell(&format!("<{block}>h</{block}>z")), "| h<br>z |", "{block}");
    }
    assert_eq!(cell("<pre>h</pre>z"), "| `h`<br>z |");
}

#[test]
fn cells_beyond_the_last_column_are_joined() {
    let html = format!("<table><tr><th>A</th></tr><tr>{}</tr></table>", "<td>x</td>".repeat(300));
    let markdown = html_to_markdown(&html, None);
    assert_eq!(markdown.matches('x').count(), 300);
    let last = markdown.trim_end_matches(" |").rsplit('|').next().unwrap();
    assert_eq!(last.matches('x').count(), 300 - 127);
}

#[test]
fn rows_are_complete_without_their_neighbours() {
    check(&[
        (
            "a foot before the head",
            "<table><tfoot><tr><td>sum<td>3</tfoot><thead><tr><th>a<th>b</thead><tbody><tr><td>x<td>3</tbody></table>",
            "| a | b |\n| --- | --- |\n| x | 3 |\n| sum | 3 |",
        ),
        (
            "a head after the rows",
            "<table><tbody><tr><td>x<td>3</tbody><thead><tr><th>a<th>b</thead></table>",
            "| a | b |\n| --- | --- |\n| x | 3 |",
        ),
        (
            "a second head keeps its position",
            "<table><thead><tr><th>a<tbody><tr><td>1<thead><tr><th>b<tbody><tr><td>2</table>",
            "| a |\n| --- |\n| 1 |\n| b |\n| 2 |",
        ),
        (
            "a title over all columns",
            "<table><tr><th colspan=3>Group<tr><th>a<th>b<th>c<tr><td>1<td>2<td>3</table>",
            "Group\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
        ),
        (
            "a name over some columns",
            "<table><thead><tr><th rowspan=2>Name<th colspan=2>Fired<tr><th>from<th>to</thead><tr><td>x<td>1<td>2</table>",
            "| Name | Fired from | Fired to |\n| --- | --- | --- |\n| x | 1 | 2 |",
        ),
        (
            "a name of two columns",
            "<table><thead><tr><th rowspan=2 colspan=2>Name<th colspan=2>Fired<tr><th>from<th>to</thead><tr><td>x<td>y<td>1<td>2</table>",
            "| Name | | Fired from | Fired to |\n| --- | --- | --- | --- |\n| x | y | 1 | 2 |",
        ),
        (
            "three header rows",
            "<table><tr><th colspan=4>All<tr><th colspan=2>A<th colspan=2>B<tr><th>1<th>2<th>1<th>2<tr><td>w<td>x<td>y<td>z</table>",
            "All\n\n| A 1 | A 2 | B 1 | B 2 |\n| --- | --- | --- | --- |\n| w | x | y | z |",
        ),
        (
            "only header cells",
            "<table><tr><th>a<th>b<tr><th>c<th>d</table>",
            "| a | b |\n| --- | --- |\n| c | d |",
        ),
        (
            "a name and facts",
            "<table><tr><th colspan=2>Kiln<tr><th>Built<td>1950</table>",
            "| Kiln | |\n| --- | --- |\n| Built | 1950 |",
        ),
        (
            "rows of a group",
            "<table><tr><th>a<th>b<th>c<tr><td rowspan=3>g<td rowspan=2>h<td>1<tr><td>2<tr><td>i<td>3<tr><td>j<td>k<td>4</table>",
            "| a | b | c |\n| --- | --- | --- |\n| g | h | 1 |\n| g | h | 2 |\n| g | i | 3 |\n| j | k | 4 |",
        ),
        (
            "to the end of its row group",
            "<table><tr><th>a<th>b<tbody><tr><td rowspan=0>g<td>1<tr><td>2<tbody><tr><td>h<td>3</table>",
            "| a | b |\n| --- | --- |\n| g | 1 |\n| g | 2 |\n| h | 3 |",
        ),
        (
            "no further than its row group",
            "<table><thead><tr><th rowspan=9>a<th>b</thead><tr><td>1<td>2</table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "a separator row is written once",
            "<table><tr><th>a<th>b<tr><td colspan=2>Part one<tr><td>1<td>2</table>",
            "| a | b |\n| --- | --- |\n| Part one | |\n| 1 | 2 |",
        ),
        (
            "in both directions",
            "<table><tr><th>a<th>b<th>c<tr><td rowspan=2 colspan=2>g<td>1<tr><td>2</table>",
            "| a | b | c |\n| --- | --- | --- |\n| g | | 1 |\n| g | | 2 |",
        ),
        (
            "a row without text of its own",
            "<table><tr><th>a<th>b<tr><td rowspan=3>g<td>1<tr><tr><td></table>",
            "| a | b |\n| --- | --- |\n| g | 1 |",
        ),
    ]);
}

#[test]
fn long_values_are_not_repeated() {
    let rows = "<tr><td>x".repeat(3);
    let html = format!("<table><tr><th>A<th>B<tr><td rowspan=9>{}<td>x{rows}</table>", "long ".repeat(60));
    let markdown = html_to_markdown(&html, None);
    assert_eq!(markdown.matches("long").count(), 60);
    assert!(markdown.ends_with("| | x |\n| | x |\n| | x |"), "{markdown}");
}

#[test]
fn repeated_text_is_bounded() {
    let html = format!(
        "<table><tr>{}</tr>{}</table>",
        format!("<td rowspan=65534>{}", "n".repeat(200)).repeat(20),
        "<tr><td>x".repeat(1_000)
    );
    let markdown = html_to_markdown(&html, None);
    assert!(markdown.len() < 20 * html.len(), "{} of {}", markdown.len(), html.len());
    assert_eq!(markdown.matches('x').count(), 1_000);
    // Each value stays in its column: the last cell is always the row's own.
    let columns = |line: &str| line.matches(" |").count();
    assert!(markdown.lines().all(|line| columns(line) == 21), "{markdown}");
}

#[test]
fn filled_cells_are_bounded() {
    for (wide, row) in [("<td rowspan=0>n", "<tr><td>x"), ("<td>n", "<tr><td colspan=128>x")] {
        let html = format!("<table><tr>{}</tr>{}</table>", wide.repeat(128), row.repeat(20_000));
        let markdown = html_to_markdown(&html, None);
        assert!(markdown.len() < 4 * html.len(), "{} of {}", markdown.len(), html.len());
        assert_eq!(markdown.matches('x').count(), 20_000, "{row}");
    }
}
