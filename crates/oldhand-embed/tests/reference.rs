//! The vectors computed here are those of the reference in `tools/embed`.

use oldhand_embed::{StaticEmbedder, cosine};

#[test]
fn vectors_equal_the_reference() {
    let mut compared = 0;
    for line in include_str!("reference.tsv").lines() {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("a line has three fields");
        let text = next().replace("\\n", "\n").replace("\\t", "\t");
        next();
        let expected: Vec<f32> = next()
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        let vector = StaticEmbedder.embed(&text);
        assert_eq!(vector.len(), expected.len());
        let likeness = cosine(&vector, &expected);
        assert!(likeness > 0.99999, "{likeness} for {text}");
        compared += 1;
    }
    assert_eq!(compared, 16);
}

#[test]
fn a_batch_is_its_texts_one_by_one() {
    let texts = ["open the door", "", "close_the_door"];
    let one_by_one: Vec<_> = texts
        .iter()
        .map(|text| StaticEmbedder.embed(text))
        .collect();
    assert_eq!(StaticEmbedder.embed_batch(&texts), one_by_one);
}

#[test]
fn a_text_without_words_is_near_nothing() {
    let nothing = StaticEmbedder.embed("");
    assert_eq!(nothing.len(), StaticEmbedder::DIMENSIONS);
    assert!(nothing.iter().all(|value| *value == 0.0));
}

#[test]
fn a_question_is_nearer_to_its_code_than_to_other_code() {
    let question = StaticEmbedder.embed("how are retries with exponential backoff done");
    let right =
        StaticEmbedder.embed("def retry_with_backoff(call, attempts=5): delay *= 2; sleep(delay)");
    let wrong = StaticEmbedder
        .embed("def render_invoice(template, customer): return template.format(customer)");
    assert!(cosine(&question, &right) > cosine(&question, &wrong) + 0.2);
}
