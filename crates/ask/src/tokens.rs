/// Tokens a text costs a language model, estimated without its tokenizer: one for each character of an unspaced script,
/// one for every four others. Errs upwards for English prose, so that a budget is kept.
pub fn estimate_tokens(text: &str) -> usize {
    let unspaced = text.chars().filter(|&c| loci_index::is_unspaced(c)).count();
    let other = text.chars().count() - unspaced;
    unspaced + other.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates() {
        for (text, tokens) in [("", 0), ("word", 1), ("words", 2), ("居里夫人", 4), ("华为 5G", 3)] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }
}
