//! Secrets that only their place gives away: URLs, headers, command lines, assignments.

use crate::filter::Case;
use crate::kind::SecretKind;
use crate::name;
use crate::read::{assignment, command, header, url};
use crate::rule::{Find, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::UrlPassword,
        anchors: &["://"],
        case: Case::Exact,
        find: Find::Read(url::read),
        hits: &[
            &[
                "postgres://app:",
                "hunter2swordfish",
                "@db.internal:5432/app",
            ],
            &[
                "https://oauth2:",
                "Zx81Kq7",
                "@git.example.net/team/repo.git",
            ],
            &["redis://:", "p4ssl1ne", "@cache:6379/0"],
        ],
        misses: &[
            "https://example.org/a:b@c",
            "http://localhost:8080/",
            "postgres://user:password@localhost/db",
            "postgres://user:${PASSWORD}@localhost/db",
            "https://user:<token>@host/",
            "ssh://git@github.com:22/a/b",
            "amqp://guest@localhost",
        ],
    },
    Rule {
        kind: SecretKind::BasicAuth,
        anchors: &["basic "],
        case: Case::Ignored,
        find: Find::Read(header::basic),
        hits: &[
            &["Authorization: Basic ", "YWxhZGRpbjpvcGVuc2VzYW1l"],
            &["'authorization': 'basic ", "cm9ib3Q6a3E3bTI=", "'"],
        ],
        misses: &[
            "a basic example of it",
            "Basic YWJjZGVm",
            "Basic authentication",
        ],
    },
    Rule {
        kind: SecretKind::BearerToken,
        anchors: &["bearer "],
        case: Case::Ignored,
        find: Find::Read(header::bearer),
        hits: &[&["Authorization: Bearer ", "q3Lm9Tz7Xw2Vb5Nc8Qd4Rf6Gh1"]],
        misses: &[
            "Authorization: Bearer $TOKEN",
            "a bearer token",
            "Bearer <token>",
            "Bearer authentication-required",
            "bearer {access_token}",
        ],
    },
    Rule {
        kind: SecretKind::CommandPassword,
        anchors: &["curl "],
        case: Case::Exact,
        find: Find::Read(command::curl),
        hits: &[
            &["curl -s -u admin:", "s3cr3t5auce", " https://host/"],
            &["curl --user 'admin:", "s3cr3t5auce", "' https://host/"],
        ],
        misses: &[
            "curl -u admin https://host/",
            "curl -u $USER:$PASS https://host",
            "curl -u user:password host",
        ],
    },
    Rule {
        kind: SecretKind::CommandPassword,
        anchors: &["sshpass ", "redis-cli ", "docker login"],
        case: Case::Exact,
        find: Find::Read(command::short_flag),
        hits: &[
            &["sshpass -p '", "s3cr3t5auce", "' ssh host"],
            &["redis-cli -h cache -a ", "s3cr3t5auce", " ping"],
            &["docker login -u me -p ", "s3cr3t5auce", " registry"],
        ],
        misses: &[
            "sshpass -p $PASS ssh host",
            "redis-cli -p 6379",
            "docker login -p \"$TOKEN\"",
        ],
    },
    Rule {
        kind: SecretKind::CommandPassword,
        anchors: &["mysql ", "mysqldump ", "mysqladmin "],
        case: Case::Exact,
        find: Find::Read(command::joined_flag),
        hits: &[&["mysql -u root -p", "s3cr3t5auce", " app"]],
        misses: &["mysql -u root -p app", "mysql -p$PASS", "mysql server"],
    },
    Rule {
        kind: SecretKind::CommandPassword,
        anchors: &["machine "],
        case: Case::Exact,
        find: Find::Read(command::netrc),
        hits: &[&["machine api.host login me password ", "s3cr3t5auce"]],
        misses: &[
            "a machine that can learn passwords",
            "machine host login me password $PASS",
        ],
    },
    Rule {
        kind: SecretKind::CommandPassword,
        anchors: &["identified"],
        case: Case::Ignored,
        find: Find::Read(command::identified_by),
        hits: &[
            &["CREATE USER app IDENTIFIED BY '", "s3cr3t5auce", "';"],
            &[
                "alter user app identified with mysql_native_password by '",
                "s3cr3t5auce",
                "'",
            ],
        ],
        misses: &["identified by the id", "IDENTIFIED BY 'password'"],
    },
    Rule {
        kind: SecretKind::CommandPassword,
        anchors: &["securestring"],
        case: Case::Ignored,
        find: Find::Read(command::secure_string),
        hits: &[&[
            "ConvertTo-SecureString \"",
            "s3cr3t5auce",
            "\" -AsPlainText -Force",
        ]],
        misses: &["ConvertTo-SecureString $password -AsPlainText"],
    },
    Rule {
        kind: SecretKind::Password,
        anchors: name::ROOTS,
        case: Case::Ignored,
        find: Find::Read(assignment::read),
        hits: &[
            &["DB_PASSWORD=", "hunter2x"],
            &["password: \"", "hunter2x", "\""],
            &["\"db_password\": \"", "hunter2x", "\","],
            &["password = '", "s3cr3t-5auce", "'"],
            &["let password: &str = \"", "s3cr3t-5auce", "\";"],
            &["const password string = \"", "s3cr3t-5auce", "\""],
            &["$config['db_pass'] = '", "s3cr3t-5auce", "';"],
            &["<password>", "s3cr3t-5auce", "</password>"],
            &["mysql --user=app --password=", "s3cr3t5auce", " db"],
            &["tool --password ", "s3cr3t-5auce", " run"],
            &[
                "Server=db;User Id=app;Password=",
                "s3cr3t5auce",
                ";Encrypt=yes",
            ],
            &["user.setPassword(\"", "s3cr3t-5auce", "\")"],
            &["put(\"password\", \"", "s3cr3t-5auce", "\")"],
            &[":password => '", "s3cr3t-5auce", "',"],
            &[
                "<add key=\"AdminPassword\" value=\"",
                "s3cr3t-5auce",
                "\"/>",
            ],
            &["ALTER USER app WITH PASSWORD '", "s3cr3t-5auce", "';"],
        ],
        misses: &[
            "password = get_password()",
            "password: str",
            "password: string;",
            "def login(user, password: Optional[str] = None)",
            "password = config.password",
            "password: ${DB_PASSWORD}",
            "PASSWORD=$PASSWORD",
            "password = process.env.PASSWORD",
            "\"password\": \"<password>\"",
            "password=changeme",
            "Enter your password: ",
            "the password is wrong",
            "input[type=password] { color: red }",
            "password: user_password,",
            "if password == nil {",
            "token: Token",
            "token = lexer.next_token()",
            "\"key\": \"deployments\"",
            "primary_key = \"a8f5f167f44f4964e6c998dee827110c\"",
            "key: 'ArrowLeft'",
            "monkey = \"gibbon7xq\"",
        ],
    },
];
