//! Function words of common languages, such as articles and prepositions.

use hashbrown::HashSet;
use std::sync::LazyLock;

/// Articles, prepositions, conjunctions, pronouns and forms of "to be" and "to have" of common languages, in
/// lower case. They stand between the values of a sentence, and say nothing about what a question asks for.
const FUNCTION_WORDS: [&str; 13] = [
    "a an the this that these those each every some any no and or but nor so yet if then than as at by \
     for from in into of off on onto out over to up with within without about after before between \
     during through under until is are was were be been being has have had do does did will would can \
     could may might must shall should it its they them their there he him his she her we us our you \
     your i my who whom whose which what where when how why not also both more most very just only",
    "der die das den dem des ein eine einen einem einer eines und oder aber auch am auf aus bei bis \
     durch für gegen im ins mit nach ohne um unter über von vom vor zum zur zwischen ist sind war waren \
     wird werden wurde wurden hat haben hatte kann können es er sie wir ihr ihre sein seine seiner ab \
     wie nicht sich man wer was wo wann welche welcher welches",
    "le la les l un une d du au aux et ou mais où par pour sans sous sur dans en avec chez entre vers \
     est sont était fut sera ont il elle ils elles nous vous se son sa ses leur leurs ce cette ces qui \
     que quel quelle dont ne pas plus combien",
    "el los las lo unos unas del al y e o u con sin desde hasta es son fue era está están han su sus \
     quién qué cuál cuándo dónde cómo más",
    "gli uno della dello delle degli dei dal dalla alla allo ai nel nella sul sulla ed con per da di tra \
     fra è sono fu ha hanno si suo sua suoi che chi non più come quanto quanti quale",
    "het een van maar aan bij door met naar om onder op te tot uit voor zonder zijn werd wordt heeft \
     hebben zij ze hun wie niet er welke waar",
    "os um uma uns umas dos da das na nos nas ao à em com sem sobre são foi tem não mais quem onde",
    "i w we z na od po za przy dla bez przez nad pod jest są był była było oraz lub ale że się nie kto \
     co gdzie",
    "v ve s k ke při pro přes je jsou byl byla bylo nebo který která které kdo kde kdy",
    "och eller men att av från inom på till ur utan vid är var blir blev har hade kan som det ett sig \
     sin inte han hon vem vilken vad",
    "og på til fra med ved er blev som ikke hvem hvor hvad ja og en et",
    "и или но в во на с со к из от до по за для при без над под о об не это как что кто где когда был \
     была было были есть его её их он она они",
    "ve ile için bir bu şu da de ki ne kim mi olan olarak",
];

static WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| FUNCTION_WORDS.iter().flat_map(|words| words.split_ascii_whitespace()).collect());

/// Whether a word, in lower case, is a function word of some language.
pub(in crate::extraction) fn is_function_word(word: &str) -> bool {
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_say_nothing_about_the_answer() {
        for word in ["the", "von", "où", "desde", "della", "voor", "são", "przez", "při", "från", "для"]
        {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["cup", "clay", "weight", "grammi", "holz"] {
            assert!(!is_function_word(word), "{word}");
        }
    }
}
