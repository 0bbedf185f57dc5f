//! The kinds of secret, each with its one spelling.

use std::fmt;
use std::str::FromStr;

/// One list feeds the enum, its spellings and `ALL`, so that a kind cannot be in one and not in another.
macro_rules! kinds {
    ($($kind:ident = $spelling:literal,)*) => {
        /// What a secret was. The spelling is the same in placeholders, reports and stored findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum SecretKind {
            $($kind,)*
        }

        impl SecretKind {
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $spelling,)*
                }
            }
        }
    };
}

kinds! {
    AwsAccessKey = "aws_access_key",
    AwsSecretKey = "aws_secret_key",
    AwsSessionToken = "aws_session_token",
    GcpApiKey = "gcp_api_key",
    GcpOauthToken = "gcp_oauth_token",
    GcpOauthSecret = "gcp_oauth_secret",
    AzureStorageKey = "azure_storage_key",
    AzureClientSecret = "azure_client_secret",
    AzureSas = "azure_sas",
    AzureDevopsToken = "azure_devops_token",
    DigitaloceanToken = "digitalocean_token",
    CloudflareToken = "cloudflare_token",
    HerokuKey = "heroku_key",
    AlibabaKey = "alibaba_key",
    TencentKey = "tencent_key",
    HetznerToken = "hetzner_token",
    LinodeToken = "linode_token",
    FlyToken = "fly_token",
    ScalewayKey = "scaleway_key",
    YandexKey = "yandex_key",
    IbmCloudKey = "ibm_cloud_key",
    AkamaiKey = "akamai_key",
    FastlyToken = "fastly_token",
    GithubToken = "github_token",
    GitlabToken = "gitlab_token",
    BitbucketToken = "bitbucket_token",
    NpmToken = "npm_token",
    PypiToken = "pypi_token",
    CratesToken = "crates_token",
    RubygemsToken = "rubygems_token",
    DockerToken = "docker_token",
    TerraformToken = "terraform_token",
    NugetKey = "nuget_key",
    ClojarsToken = "clojars_token",
    SlackToken = "slack_token",
    SlackWebhook = "slack_webhook",
    DiscordToken = "discord_token",
    DiscordWebhook = "discord_webhook",
    TelegramToken = "telegram_token",
    TeamsWebhook = "teams_webhook",
    TwilioKey = "twilio_key",
    SendgridKey = "sendgrid_key",
    MailgunKey = "mailgun_key",
    MailchimpKey = "mailchimp_key",
    PostmarkToken = "postmark_token",
    BrevoKey = "brevo_key",
    StripeKey = "stripe_key",
    StripeWebhookSecret = "stripe_webhook_secret",
    SquareToken = "square_token",
    PaypalToken = "paypal_token",
    ShopifyToken = "shopify_token",
    RazorpayKey = "razorpay_key",
    AdyenKey = "adyen_key",
    PlaidKey = "plaid_key",
    OpenaiKey = "openai_key",
    AnthropicKey = "anthropic_key",
    GroqKey = "groq_key",
    HuggingfaceToken = "huggingface_token",
    ReplicateToken = "replicate_token",
    CohereKey = "cohere_key",
    MistralKey = "mistral_key",
    PerplexityKey = "perplexity_key",
    XaiKey = "xai_key",
    OpenrouterKey = "openrouter_key",
    ElevenlabsKey = "elevenlabs_key",
    LangsmithKey = "langsmith_key",
    SentryToken = "sentry_token",
    DatadogKey = "datadog_key",
    NewRelicKey = "new_relic_key",
    GrafanaToken = "grafana_token",
    PosthogKey = "posthog_key",
    LinearKey = "linear_key",
    NotionToken = "notion_token",
    FigmaToken = "figma_token",
    AirtableToken = "airtable_token",
    VercelToken = "vercel_token",
    NetlifyToken = "netlify_token",
    SupabaseKey = "supabase_key",
    FirebaseKey = "firebase_key",
    DatabricksToken = "databricks_token",
    VaultToken = "vault_token",
    DopplerToken = "doppler_token",
    OnepasswordToken = "onepassword_token",
    AgeKey = "age_key",
    NkeySeed = "nkey_seed",
    DropboxToken = "dropbox_token",
    AtlassianToken = "atlassian_token",
    AsanaToken = "asana_token",
    PostmanKey = "postman_key",
    PulumiToken = "pulumi_token",
    PlanetscaleToken = "planetscale_token",
    SalesforceToken = "salesforce_token",
    OktaToken = "okta_token",
    ContentfulToken = "contentful_token",
    LaunchdarklyKey = "launchdarkly_key",
    SonarToken = "sonar_token",
    JfrogToken = "jfrog_token",
    CircleciToken = "circleci_token",
    BuildkiteToken = "buildkite_token",
    SnykToken = "snyk_token",
    PrivateKey = "private_key",
    PgpPrivateKey = "pgp_private_key",
    PuttyKey = "putty_key",
    JsonWebKey = "json_web_key",
    Jwt = "jwt",
    UrlPassword = "url_password",
    BasicAuth = "basic_auth",
    BearerToken = "bearer_token",
    CommandPassword = "command_password",
    Password = "password",
    PasswordHash = "password_hash",
    Passphrase = "passphrase",
    Secret = "secret",
    Token = "token",
    ApiKey = "api_key",
    Credential = "credential",
}

impl fmt::Display for SecretKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that is no kind of secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind(pub String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` is not a kind of secret", self.0)
    }
}

impl std::error::Error for UnknownKind {}

impl FromStr for SecretKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let known = Self::ALL.iter().find(|kind| kind.as_str() == text);
        known.copied().ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_spelling_comes_back_as_its_kind() {
        for kind in SecretKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
        assert!("hunter".parse::<SecretKind>().is_err());
    }

    #[test]
    fn no_two_kinds_are_spelled_the_same() {
        let spellings: BTreeSet<_> = SecretKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(spellings.len(), SecretKind::ALL.len());
    }
}
