//! What stands behind a name is a secret, or is none.

#[test]
fn what_opens_a_page_is_taken_out_of_its_address() {
    for (text, clean) in [
        (
            "https://x.example/a?token=hunterZ9-qLm4!vX&page=2",
            "https://x.example/a?token=[REDACTED:token]&page=2",
        ),
        (
            "see https://x.example/a?b=1&sig=q7Zx81LmQz7X for it",
            "see https://x.example/a?b=1&sig=[REDACTED:token] for it",
        ),
        (
            "https://x.example/a?key=Zx81-LmQz7Xw2",
            "https://x.example/a?key=[REDACTED:api_key]",
        ),
        (
            "https://x.example/a?X-Amz-Signature=3f9a2c1b7d8e4f5061728394&x=1",
            "https://x.example/a?X-Amz-Signature=[REDACTED:token]&x=1",
        ),
    ] {
        assert_eq!(crate::redact(text).text, clean);
    }
    for text in [
        "https://x.example/list?key=title&sort=asc",
        "https://x.example/?token=your_token1",
        "https://x.example/docs?page=token&id=hunterZ9",
        "critical /etc/passwd: boom2",
    ] {
        assert_eq!(crate::redact(text).text, text);
    }
}

#[test]
fn an_ampersand_is_part_of_a_password_that_stands_in_no_address() {
    for (text, clean) in [
        (
            "DB_PASSWORD=Tr0ub4dor&3xyz",
            "DB_PASSWORD=[REDACTED:password]",
        ),
        (
            "db_password=Tr0ub4dor&3xyz&more9\nUSER=me",
            "db_password=[REDACTED:password]\nUSER=me",
        ),
        ("password: Tr0ub4dor&3xyz", "password: [REDACTED:password]"),
        (
            "DB_PASSWORD=Tr0ub4dor&3xyz && make",
            "DB_PASSWORD=[REDACTED:password] && make",
        ),
        (
            "DB_PASSWORD=Tr0ub4dor3xyz&&make",
            "DB_PASSWORD=[REDACTED:password]&&make",
        ),
        (
            "DB_PASSWORD=Tr0ub4dor3xyz&./serve.py",
            "DB_PASSWORD=[REDACTED:password]&./serve.py",
        ),
        (
            "password=Tr0ub4dor3xyz&https://x.example",
            "password=[REDACTED:password]&https://x.example",
        ),
        (
            "DB_PASSWORD=Tr0ub4dor3xyz& make",
            "DB_PASSWORD=[REDACTED:password]& make",
        ),
        (
            "<p>DB_PASSWORD=Tr0ub4dor3xyz&lt;/p&gt;",
            "<p>DB_PASSWORD=[REDACTED:password]&lt;/p&gt;",
        ),
        (
            "<p>DB_PASSWORD=Tr0ub4dor3xyz&#10;</p>",
            "<p>DB_PASSWORD=[REDACTED:password]&#10;</p>",
        ),
        (
            "curl -d 'PASSWORD=Tr0ub4dor3xyz&user=me'",
            "curl -d 'PASSWORD=[REDACTED:password]&user=me'",
        ),
        (
            "https://x.example/a?password=Tr0ub4dor3xyz&page",
            "https://x.example/a?password=[REDACTED:password]&page",
        ),
    ] {
        assert_eq!(crate::redact(text).text, clean);
    }
    let long = format!("DB_PASSWORD=Tr0ub4dor3xyz&{}", "a".repeat(4100));
    assert!(!crate::redact(&long).text.contains("Tr0ub4dor"));
}

#[test]
fn names_of_entries_counts_and_folders_hold_no_secrets() {
    for text in [
        r#"docker run --rm -v "$PWD:/work" -w /work rust:1"#,
        "mise oci run --volume $PWD:/work -- npm test",
        r#"docker run -v "${PWD}:/work" -v "$(pwd):/src1" rust:1"#,
        "PWD=/work",
        "OLDPWD=/srv1",
        r#"[["Bugbot","pass"],["CodeRabbit9x7","pass"]]"#,
        r#"["FAIL","PASS","RVV-B0013","RVV-A0003"]"#,
        r#"[\"FAIL\", \"PASS\", \"RVV-B0013\"]"#,
        r#"enum: ["Pass", "Failed"]"#,
        "docker run -v $pwd:/work rust:1",
        "PYTHONPATH=$PWD:src/lib2:$PYTHONPATH pytest",
        "MAX_TOKENS=200000",
        r#"{"cache_read_input_tokens":"123456789","total_tokens":1234567890}"#,
        "max_output_tokens: computeBudget(model4)",
        r#"{"idempotency_key":"b5c4a5af-128f-42bc-bfa8-81ff940fda0c"}"#,
        "run --idempotency-key 7Zx81LmQz7Xw2Pp0aB",
        "idempotency_key=kGq7Zx81LmQz7Xw2Pp0aB",
        "\t\t\tInputTokens: sumInt64(\n\t\t\t\t0, usage.Input)",
        "secret: readInt64(\n  source)",
        r#"GLOBAL_TOOLS_CACHE_KEY = "tools:v2:kGq7Zx81LmQz7X""#,
    ] {
        assert_eq!(crate::redact(text).text, text);
    }
    for (text, clean) in [
        ("PWD=kGq7Zx81LmQz7X", "PWD=[REDACTED:password]"),
        (
            "Server=db;Uid=me;Pwd=kGq7Zx81LmQz7X;",
            "Server=db;Uid=me;Pwd=[REDACTED:password];",
        ),
        (
            r#"$password = "kGq7Zx81LmQz7X""#,
            r#"$password = "[REDACTED:password]""#,
        ),
        (
            r#"["user","me"],["password","kGq7Zx81LmQz7X"]"#,
            r#"["user","me"],["password","[REDACTED:password]"]"#,
        ),
        (
            "CACHE_API_KEY=kGq7Zx81LmQz7Xw2Pp0aB",
            "CACHE_API_KEY=[REDACTED:api_key]",
        ),
        (
            "AZURE_SEARCH_QUERY_KEY=kGq7Zx81LmQz7Xw2Pp0aBcDe",
            "AZURE_SEARCH_QUERY_KEY=[REDACTED:api_key]",
        ),
        (
            "TENCENT_MAP_KEY=QX7BZ-D4W3U-K8VVO-4PJWW-6TKDJ-WPB77",
            "TENCENT_MAP_KEY=[REDACTED:tencent_key]",
        ),
        (
            r#"azure_translation_key: "kGq7Zx81LmQz7Xw2Pp0aBcDe""#,
            r#"azure_translation_key: "[REDACTED:api_key]""#,
        ),
        (
            "REGISTRY_KEY=kGq7Zx81LmQz7Xw2Pp0aBcDe",
            "REGISTRY_KEY=[REDACTED:api_key]",
        ),
        (
            "MESSAGE_KEY=kGq7Zx81LmQz7Xw2Pp0aBcDe",
            "MESSAGE_KEY=[REDACTED:api_key]",
        ),
        (
            "MAX_API_TOKENS=kGq7Zx81LmQz7Xw2Pp0aBcDe",
            "MAX_API_TOKENS=[REDACTED:token]",
        ),
        (
            "INPUT_TOKENS=kGq7Zx81LmQz7Xw2Pp0aBcDe",
            "INPUT_TOKENS=[REDACTED:token]",
        ),
        (
            "$db_password: kGq7Zx81LmQz7X",
            "$db_password: [REDACTED:password]",
        ),
        ("$pwd: kGq7Zx81LmQz7X", "$pwd: [REDACTED:password]"),
        (
            r#"("Pass","kGq7Zx81LmQz7X")"#,
            r#"("Pass","[REDACTED:password]")"#,
        ),
        (
            r#"("User","me","Pass","kGq7Zx81LmQz7X")"#,
            r#"("User","me","Pass","[REDACTED:password]")"#,
        ),
        ("secret: kGq7(Zx81LmQz7X", "secret: [REDACTED:secret]"),
        (
            "refresh_token: kGq7Zx81LmQz7Xw2",
            "refresh_token: [REDACTED:token]",
        ),
    ] {
        assert_eq!(crate::redact(text).text, clean);
    }
}

#[test]
fn a_verdict_a_link_and_an_address_are_no_secrets() {
    for text in [
        r#"{"bucket":"pass","completedAt":"2026-01-10T10:00:00Z"}"#,
        r#"{\"bucket\":\"pass\",\"completedAt\":\"2026-01-10T10:00:00Z\"}"#,
        r#"{ "status": "pass", "conclusion": "kGq7Zx81LmQz7X" }"#,
        "connpass: https://connpass.com/event/331712/",
        "db_password: https://docs.example/passwords/331712",
        "node_modules/better-auth -> ../.pnpm/better-auth@1.4.7_7Zx81LmQz7Xw2/node_modules/better-auth",
        "node_modules/better-auth -> .pnpm/better-auth@1.4.7_7Zx81LmQz7Xw2/node_modules/better-auth",
    ] {
        assert_eq!(crate::redact(text).text, text);
    }
    for (text, clean) in [
        (
            r#"("password", "kGq7Zx81LmQz7X")"#,
            r#"("password", "[REDACTED:password]")"#,
        ),
        (
            r#"["pass","kGq7Zx81LmQz7X"]"#,
            r#"["pass","[REDACTED:password]"]"#,
        ),
        ("dbpass: kGq7Zx81LmQz7X", "dbpass: [REDACTED:password]"),
        (
            "password -> kGq7Zx81LmQz7X",
            "password -> [REDACTED:password]",
        ),
        (
            "password -> kGq7/Zx81LmQz7X",
            "password -> [REDACTED:password]",
        ),
        (
            "db_password -> kGq7Zx81Lm/Qz7Xw2Pp0/aBcDeFgHiJkLmN",
            "db_password -> [REDACTED:password]",
        ),
        ("connpass=kGq7Zx81LmQz7X", "connpass=[REDACTED:password]"),
        (
            r#"auth = "password", "kGq7Zx81LmQz7X""#,
            r#"auth = "password", "[REDACTED:password]""#,
        ),
        (
            r#"credentials: "api_key", "kGq7Zx81LmQz7Xw2""#,
            r#"credentials: "api_key", "[REDACTED:api_key]""#,
        ),
    ] {
        assert_eq!(crate::redact(text).text, clean);
    }
}
