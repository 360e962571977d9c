use std::panic::catch_unwind;
#[test]
fn shrink() {
    std::panic::set_hook(Box::new(|_| {}));
    let fails = |h: &str| catch_unwind(|| { gleaner_transform::html_to_markdown(h, None); }).is_err();
    for n in 1..70usize {
        let s = format!("{}<xmp><p></xmp><iframe><p></iframe><plaintext><p>rest</p><u>", "<b><i><u>".repeat(n));
        if fails(&s) { eprintln!("n={n}");
            let mut v: Vec<char> = s.chars().collect();
            let mut size = v.len()/2;
            while size > 0 { let mut i = 0; while i + size <= v.len() { let mut w = v.clone(); w.drain(i..i+size); if fails(&w.iter().collect::<String>()) { v = w } else { i += size } } size /= 2; }
            eprintln!("min: {}", v.iter().collect::<String>()); break; }
    }
}
