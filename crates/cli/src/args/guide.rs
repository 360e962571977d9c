//! The command lines in README, in the README of this crate and in the guide (`docs/*.md`) are accepted, and so
//! are the requests that they make.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;

use super::{Cli, Command};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Options whose value is a file that is read with the command line, and the content of such a file if the
/// document does not make it.
const READ_FILES: [(&str, &str); 3] = [
    ("--schema", r#"{"properties": {"name": {"type": "string"}}}"#),
    ("--actions", r#"[{"type": "wait", "milliseconds": 1}]"#),
    ("--config", ""),
];

/// A command of a shell.
#[derive(Debug, Default, PartialEq)]
struct ShellCommand {
    words: Vec<String>,
    /// The file that its output goes to.
    output: Option<String>,
}

impl ShellCommand {
    fn new(words: &[&str], output: Option<&str>) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { words, output: output.map(str::to_owned) }
    }

    /// The arguments for gleaner, if it is this program that is run.
    fn for_gleaner(&self) -> Option<&[String]> {
        match self.words.as_slice() {
            [program, arguments @ ..] if program == "gleaner" => Some(arguments),
            [cargo, run, release, end, arguments @ ..]
                if [cargo, run, release, end] == ["cargo", "run", "--release", "--"] =>
            {
                Some(arguments)
            }
            _ => None,
        }
    }
}

/// A reader of the part of the shell language that documents use.
#[derive(Debug, Default)]
struct Shell {
    /// Set by `export NAME=VALUE`.
    variables: HashMap<String, String>,
    commands: Vec<ShellCommand>,
    current: ShellCommand,
    word: Option<String>,
    /// The next word is the file of the output.
    into_file: bool,
}

impl Shell {
    /// Reads a block of commands.
    fn read(&mut self, block: &str) -> Result<(), String> {
        let block = block.replace("\\\n", " ");
        let mut rest = block.chars().peekable();
        while let Some(letter) = rest.next() {
            match letter {
                ' ' | '\t' => self.end_word(),
                '\n' | '|' | '&' | ';' => self.end_command(),
                '#' if self.word.is_none() => while rest.next_if(|letter| *letter != '\n').is_some() {},
                '>' => {
                    self.end_word();
                    while rest.next_if_eq(&'>').is_some() {}
                    self.into_file = true;
                }
                '\'' => self.add(rest.by_ref().take_while(|letter| *letter != '\'')),
                '"' => self.quoted(&mut rest)?,
                '\\' => self.add(rest.next()),
                '$' => self.expand(&mut rest)?,
                '`' | '(' | ')' | '<' => return Err(format!("this reader does not know `{letter}`")),
                letter => self.add([letter]),
            }
        }
        self.end_command();
        Ok(())
    }

    /// Reads the rest of a text in double quotes.
    fn quoted(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), String> {
        self.add("".chars());
        loop {
            match rest.next() {
                None => return Err("a quote has no end".to_owned()),
                Some('"') => return Ok(()),
                Some('\\') => self.add(rest.next()),
                Some('$') => self.expand(rest)?,
                Some(letter) => self.add([letter]),
            }
        }
    }

    /// Reads the name of a variable and adds its value.
    fn expand(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), String> {
        let mut name = String::new();
        while let Some(letter) = rest.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_') {
            name.push(letter);
        }
        let Some(value) = self.variables.get(&name).cloned() else {
            return Err(format!("no command above sets the variable {name}: export it"));
        };
        self.add(value.chars());
        Ok(())
    }

    fn add(&mut self, letters: impl IntoIterator<Item = char>) {
        self.word.get_or_insert_default().extend(letters);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if self.into_file {
            self.into_file = false;
            self.current.output = Some(word);
        } else {
            self.current.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        let command = std::mem::take(&mut self.current);
        if command.words.first().is_some_and(|word| word == "export") {
            let values = command.words.iter().filter_map(|word| word.split_once('='));
            self.variables.extend(values.map(|(name, value)| (name.to_owned(), value.to_owned())));
        } else if !command.words.is_empty() {
            self.commands.push(command);
        }
    }
}

/// The blocks of a document in this language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in document.lines() {
        match (line.trim(), block.take()) {
            ("```", Some(ended)) => blocks.push(ended),
            (_, Some(mut open)) => {
                open.push_str(line);
                open.push('\n');
                block = Some(open);
            }
            (fence, None) if fence.strip_prefix("```") == Some(language) => block = Some(String::new()),
            (_, None) => {}
        }
    }
    blocks
}

/// The documents with command lines.
fn documents() -> Vec<PathBuf> {
    let mut documents = vec![Path::new(ROOT).join("README.md"), Path::new(ROOT).join("crates/cli/README.md")];
    let guide = fs::read_dir(Path::new(ROOT).join("docs")).unwrap().map(|entry| entry.unwrap().path());
    documents.extend(guide.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    documents
}

/// The arguments, with the names of files that are read replaced by those of files in `folder`.
fn with_files(arguments: &[String], folder: &Path) -> Vec<String> {
    let mut replaced = arguments.to_vec();
    for (option, content) in READ_FILES {
        for index in 1..replaced.len() {
            if replaced[index - 1] == option {
                let path = folder.join(&replaced[index]);
                if !path.exists() {
                    fs::write(&path, content).unwrap();
                }
                replaced[index] = path.to_str().unwrap().to_owned();
            }
        }
    }
    replaced
}

/// Parses a command line and checks its request.
fn check(arguments: Vec<String>) -> Result<(), String> {
    let words = std::iter::once("gleaner".to_owned()).chain(arguments).map(OsString::from);
    let command = match Cli::read(words) {
        Ok(cli) => cli.command,
        // Help and version are no errors.
        Err(error) if error.exit_code() == 0 => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let checked = match command {
        Command::Scrape(args) => args.request().map(drop),
        Command::Crawl(args) => args.request().and(args.explained().map(drop)),
        Command::Batch(args) => args.request(vec!["https://a.example/".to_owned()]).map(drop),
        Command::Map(args) => args.request().map(drop),
        Command::Extract(args) => args.request().map(drop),
        Command::Convert(args) => args.request("https://none.example/").map(drop),
        _ => Ok(()),
    };
    checked.map_err(|failure| format!("{failure:?}"))
}

#[test]
fn every_command_line_of_the_documents_is_accepted() {
    let mut checked = 0;
    let mut faults = Vec::new();
    for path in documents() {
        let folder = tempfile::tempdir().unwrap();
        let name = path.display();
        let mut shell = Shell::default();
        let document = fs::read_to_string(&path).unwrap();
        // A block that begins with the name of a file is its content.
        for block in blocks(&document, "toml") {
            if let Some(file) = block.lines().next().and_then(|line| line.strip_prefix("# ")) {
                fs::write(folder.path().join(file), &block).unwrap();
            }
        }
        for block in blocks(&document, "sh") {
            if let Err(fault) = shell.read(&block) {
                faults.push(format!("{name}: {fault} in\n{block}"));
                // The next block begins a command of its own.
                shell = Shell::default();
            }
        }
        for command in &shell.commands {
            // Later commands read the files that these write.
            if let (Some("echo"), Some(file)) = (command.words.first().map(String::as_str), &command.output) {
                fs::write(folder.path().join(file), command.words[1..].join(" ")).unwrap();
            }
            let Some(arguments) = command.for_gleaner() else { continue };
            checked += 1;
            if let Err(fault) = check(with_files(arguments, folder.path())) {
                faults.push(format!("{name}: gleaner {}\n{fault}", arguments.join(" ")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 50, "only {checked} command lines were found");
}

#[test]
fn blocks_are_read_as_a_shell_does() {
    let document = "```text\ngleaner none\n```\n```sh\nexport DB=a://b   # a remark\n\
                    gleaner jobs --database \"$DB/c\" && gleaner map a.example \\\n    --search 'x # y' > urls.txt\n\
                    jq -r .url f.jsonl | gleaner batch - --formats markdown,links\ncargo run --release -- demo\n```\n";
    let mut shell = Shell::default();
    for block in blocks(document, "sh") {
        shell.read(&block).unwrap();
    }
    assert_eq!(
        shell.commands,
        [
            ShellCommand::new(&["gleaner", "jobs", "--database", "a://b/c"], None),
            ShellCommand::new(&["gleaner", "map", "a.example", "--search", "x # y"], Some("urls.txt")),
            ShellCommand::new(&["jq", "-r", ".url", "f.jsonl"], None),
            ShellCommand::new(&["gleaner", "batch", "-", "--formats", "markdown,links"], None),
            ShellCommand::new(&["cargo", "run", "--release", "--", "demo"], None),
        ]
    );
    assert_eq!(shell.commands[4].for_gleaner(), Some(&["demo".to_owned()][..]));
    assert_eq!(shell.commands[2].for_gleaner(), None);
    assert!(Shell::default().read("gleaner jobs $NONE").is_err());
}

#[test]
fn a_wrong_command_line_is_found() {
    for wrong in [
        &["crawl", "a.example", "--limitt", "3"][..],
        &["crawl", "a.example", "--limit", "0"],
        &["scrape", "a.example", "--formats", "markdwn"],
    ] {
        assert!(check(wrong.iter().map(|word| (*word).to_owned()).collect()).is_err(), "{wrong:?}");
    }
}
