//! Files that a plan names and that are not there yet.

use super::*;

#[test]
fn a_file_that_a_plan_will_create_is_named_before_it_is_there() {
    let all = predicted("Create `src/billing/refund.ts` beside the tax", &[], &[]);
    assert_eq!(all[0].path, "src/billing/refund.ts");
    assert_eq!(all[0].because[0].lane, PredictionLane::NamedNew);
    // Words, other places and patterns are no files of this project.
    for task in [
        "see `host.example/refund.ts`",
        "use `src/**/*.ts`",
        "about src/billing/refund.ts",
        "the `src/billing` folder",
    ] {
        let all = predicted(task, &[], &[]);
        assert!(
            all.iter().all(|file| TREE.contains(&file.path.as_str())),
            "{task}"
        );
    }
}

#[test]
fn a_plan_names_its_files_by_the_end_of_their_folder_or_below_a_drawing() {
    let planned = |task: &str| -> Vec<String> {
        let new = |file: &Predicted| file.because[0].lane == PredictionLane::NamedNew;
        let all = predicted(task, &[], &[]);
        all.into_iter().filter(new).map(|file| file.path).collect()
    };
    assert_eq!(
        planned("The new `billing/refund.ts:12-40` pays back"),
        ["src/billing/refund.ts"]
    );
    assert_eq!(
        planned("All of it lies in `src/mail/`: `mail/send.ts` sends"),
        ["src/mail/send.ts"]
    );
    // A folder that nobody knows is as often another project's.
    assert_eq!(
        planned("put it into `notes/refund.md`"),
        ["notes/refund.md"]
    );
    let drawing = "src/mail/\n├── send.ts      # sends\n├── parts/\n│   └── head.ts\n└── read.ts\n\nelsewhere\n├── other.ts";
    assert_eq!(
        planned(drawing),
        [
            "src/mail/parts/head.ts",
            "src/mail/read.ts",
            "src/mail/send.ts"
        ]
    );
    // Most trees begin at the project itself, by whatever name; what lies elsewhere is no file of it.
    for root in ["./", ".", "shop/"] {
        let drawing = format!(
            "{root}\n├── src/\n│   └── billing/\n│       ├── tax.ts\n│       └── refund.ts"
        );
        assert_eq!(planned(&drawing), ["src/billing/refund.ts"], "{root}");
    }
    for root in ["/etc/shop/", "../shop/", "shop"] {
        let drawing = format!("{root}\n├── tax.ts\n└── refund.ts");
        assert!(planned(&drawing).is_empty(), "{root}");
    }
}
