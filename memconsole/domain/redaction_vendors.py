"""Rules of gitleaks 8.30.1, converted by `make secret-rules`.

Copyright (c) 2019 Zachary Rice, MIT: the text of the licence is in LICENSES/gitleaks.txt.
"""

from __future__ import annotations

# fmt: off
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ('1password-secret-key', ('A3-',),
     'A3-[A-Z0-9]{6}-(?:(?:[A-Z0-9]{11})|(?:[A-Z0-9]{6}-[A-Z0-9]{5}))-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5,}'),  # noqa: E501
    ('1password-service-account-token', ('ops_eyJ',),
     'ops_eyJ[a-zA-Z0-9+/]{250,}={0,}'),  # noqa: E501
    ('adobe-client-secret', ('p8e-',),
     'p8e-(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('age-secret-key', ('AGE-SECRET-KEY-1',),
     'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,}'),  # noqa: E501
    ('airtable-personnal-access-token', ('pat',),
     'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64,}'),  # noqa: E501
    ('alibaba-access-key-id', ('LTAI',),
     'LTAI(?i:[a-z0-9]{20,})'),  # noqa: E501
    ('anthropic-admin-api-key', ('sk-ant-admin01-',),
     'sk-ant-admin01-[a-zA-Z0-9_\\-]{93}AA'),  # noqa: E501
    ('anthropic-api-key', ('sk-ant-api03-',),
     'sk-ant-api03-[a-zA-Z0-9_\\-]{93}AA'),  # noqa: E501
    ('artifactory-api-key', ('AKCp',),
     'AKCp[A-Za-z0-9]{69,}'),  # noqa: E501
    ('artifactory-reference-token', ('cmVmd',),
     'cmVmd[A-Za-z0-9]{59,}'),  # noqa: E501
    ('aws-access-token', ('A3T', 'AKIA', 'ASIA', 'ABIA', 'ACCA'),
     '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16,}'),  # noqa: E501
    ('aws-amazon-bedrock-api-key-long-lived', ('ABSK',),
     'ABSK[A-Za-z0-9+/]{109,}={0,2}'),  # noqa: E501
    ('aws-amazon-bedrock-api-key-short-lived', ('bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t',),
     'bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t'),  # noqa: E501
    ('clickhouse-cloud-api-secret-key', ('4b1d',),
     '4b1d[A-Za-z0-9]{38,}'),  # noqa: E501
    ('clojars-api-token', ('CLOJARS_', 'clojars_'),
     '(?i:CLOJARS_[a-z0-9]{60,})'),  # noqa: E501
    ('cloudflare-origin-ca-key', ('v1.0-',),
     'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146,}'),  # noqa: E501
    ('databricks-api-token', ('dapi',),
     'dapi[a-f0-9]{32}(?:-\\d)?'),  # noqa: E501
    ('defined-networking-api-token', ('dnkey-', 'DNKEY-'),
     '(?i:dnkey-[a-z0-9=_\\-]{26}-[a-z0-9=_\\-]{52,})'),  # noqa: E501
    ('digitalocean-access-token', ('doo_v1_',),
     'doo_v1_[a-f0-9]{64,}'),  # noqa: E501
    ('digitalocean-pat', ('dop_v1_',),
     'dop_v1_[a-f0-9]{64,}'),  # noqa: E501
    ('digitalocean-refresh-token', ('dor_v1_', 'DOR_V1_'),
     '(?i:dor_v1_[a-f0-9]{64,})'),  # noqa: E501
    ('doppler-api-token', ('dp.pt.',),
     'dp\\.pt\\.(?i:[a-z0-9]{43,})'),  # noqa: E501
    ('dropbox-short-lived-api-token', ('sl.', 'SL.'),
     '(?i:sl\\.[a-z0-9\\-=_]{135,})'),  # noqa: E501
    ('duffel-api-token', ('duffel_',),
     'duffel_(?:test|live)_(?i:[a-z0-9_\\-=]{43,})'),  # noqa: E501
    ('dynatrace-api-token', ('dt0c01.',),
     'dt0c01\\.(?i:[a-z0-9]{24}\\.[a-z0-9]{64,})'),  # noqa: E501
    ('easypost-api-token', ('EZAK',),
     'EZAK(?i:[a-z0-9]{54,})'),  # noqa: E501
    ('easypost-test-api-token', ('EZTK',),
     'EZTK(?i:[a-z0-9]{54,})'),  # noqa: E501
    ('facebook-page-access-token', ('EAA',),
     'EAA[MC](?i:[a-z0-9]{100,})'),  # noqa: E501
    ('flutterwave-encryption-key', ('FLWSECK_TEST-',),
     'FLWSECK_TEST-(?i:[a-h0-9]{12,})'),  # noqa: E501
    ('flutterwave-secret-key', ('FLWSECK_TEST-',),
     'FLWSECK_TEST-(?i:[a-h0-9]{32}-X)'),  # noqa: E501
    ('flyio-access-token', ('fo1_', 'fm1', 'fm2_'),
     'fo1_[\\w-]{43}|fm1[ar]_[a-zA-Z0-9+\\/]{100,}={0,3}|fm2_[a-zA-Z0-9+\\/]{100,}={0,}'),  # noqa: E501
    ('frameio-api-token', ('fio-u-',),
     'fio-u-(?i:[a-z0-9\\-_=]{64,})'),  # noqa: E501
    ('gcp-api-key', ('AIza',),
     'AIza[\\w-]{35,}'),  # noqa: E501
    ('github-app-token', ('ghu_', 'ghs_'),
     '(?:ghu|ghs)_[0-9a-zA-Z]{36,}'),  # noqa: E501
    ('github-fine-grained-pat', ('github_pat_',),
     'github_pat_\\w{82,}'),  # noqa: E501
    ('github-oauth', ('gho_',),
     'gho_[0-9a-zA-Z]{36,}'),  # noqa: E501
    ('github-pat', ('ghp_',),
     'ghp_[0-9a-zA-Z]{36,}'),  # noqa: E501
    ('github-refresh-token', ('ghr_',),
     'ghr_[0-9a-zA-Z]{36,}'),  # noqa: E501
    ('gitlab-cicd-job-token', ('glcbt-',),
     'glcbt-[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20,}'),  # noqa: E501
    ('gitlab-deploy-token', ('gldt-',),
     'gldt-[0-9a-zA-Z_\\-]{20,}'),  # noqa: E501
    ('gitlab-feature-flag-client-token', ('glffct-',),
     'glffct-[0-9a-zA-Z_\\-]{20,}'),  # noqa: E501
    ('gitlab-feed-token', ('glft-',),
     'glft-[0-9a-zA-Z_\\-]{20,}'),  # noqa: E501
    ('gitlab-incoming-mail-token', ('glimt-',),
     'glimt-[0-9a-zA-Z_\\-]{25,}'),  # noqa: E501
    ('gitlab-kubernetes-agent-token', ('glagent-',),
     'glagent-[0-9a-zA-Z_\\-]{50,}'),  # noqa: E501
    ('gitlab-oauth-app-secret', ('gloas-',),
     'gloas-[0-9a-zA-Z_\\-]{64,}'),  # noqa: E501
    ('gitlab-pat', ('glpat-',),
     'glpat-[\\w-]{20,}'),  # noqa: E501
    ('gitlab-pat-routable', ('glpat-',),
     'glpat-[0-9a-zA-Z_-]{27,300}\\.[0-9a-z]{2}[0-9a-z]{7,}'),  # noqa: E501
    ('gitlab-ptt', ('glptt-',),
     'glptt-[0-9a-f]{40,}'),  # noqa: E501
    ('gitlab-rrt', ('GR1348941',),
     'GR1348941[\\w-]{20,}'),  # noqa: E501
    ('gitlab-runner-authentication-token', ('glrt-',),
     'glrt-[0-9a-zA-Z_\\-]{20,}'),  # noqa: E501
    ('gitlab-runner-authentication-token-routable', ('glrt-t',),
     'glrt-t\\d_[0-9a-zA-Z_\\-]{27,300}\\.[0-9a-z]{2}[0-9a-z]{7,}'),  # noqa: E501
    ('gitlab-scim-token', ('glsoat-',),
     'glsoat-[0-9a-zA-Z_\\-]{20,}'),  # noqa: E501
    ('gitlab-session-cookie', ('_gitlab_session',),
     '_gitlab_session=[0-9a-z]{32,}'),  # noqa: E501
    ('gocardless-api-token', ('live_', 'LIVE_'),
     '(?i:live_(?i:[a-z0-9\\-_=]{40,}))'),  # noqa: E501
    ('grafana-api-key', ('eyJrIjoi', 'eyjrijoi', 'EYJRIJOI'),
     '(?i:eyJrIjoi[A-Za-z0-9]{70,}={0,3})'),  # noqa: E501
    ('grafana-cloud-api-token', ('glc_', 'GLC_'),
     '(?i:glc_[A-Za-z0-9+/]{32,}={0,3})'),  # noqa: E501
    ('grafana-service-account-token', ('glsa_', 'GLSA_'),
     '(?i:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8,})'),  # noqa: E501
    ('hashicorp-tf-api-token', ('atlasv1', 'ATLASV1'),
     '(?i:[a-z0-9]{14}\\.(?-i:atlasv1)\\.[a-z0-9\\-_=]{60,})'),  # noqa: E501
    ('heroku-api-key-v2', ('HRKU-AA',),
     'HRKU-AA[0-9a-zA-Z_-]{58,}'),  # noqa: E501
    ('huggingface-access-token', ('hf_',),
     'hf_(?i:[a-z]{34,})'),  # noqa: E501
    ('huggingface-organization-api-token', ('api_org_',),
     'api_org_(?i:[a-z]{34,})'),  # noqa: E501
    ('infracost-api-token', ('ico-',),
     'ico-[a-zA-Z0-9]{32,}'),  # noqa: E501
    ('intra42-client-secret', ('s-s4t2',),
     's-s4t2(?:ud|af)-(?i:[abcdef0123456789]{64,})'),  # noqa: E501
    ('linear-api-key', ('lin_api_',),
     'lin_api_(?i:[a-z0-9]{40,})'),  # noqa: E501
    ('mailgun-private-api-token', ('key-', 'KEY-'),
     '(?i:key-[a-f0-9]{32,})'),  # noqa: E501
    ('maxmind-license-key', ('_mmk',),
     '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk'),  # noqa: E501
    ('new-relic-browser-api-token', ('NRJS-', 'nrjs-'),
     '(?i:NRJS-[a-f0-9]{19,})'),  # noqa: E501
    ('new-relic-insert-key', ('NRII-', 'nrii-'),
     '(?i:NRII-[a-z0-9-]{32,})'),  # noqa: E501
    ('new-relic-user-api-key', ('NRAK-', 'nrak-'),
     '(?i:NRAK-[a-z0-9]{27,})'),  # noqa: E501
    ('notion-api-token', ('ntn_',),
     'ntn_[0-9]{11}[A-Za-z0-9]{32}[A-Za-z0-9]{3,}'),  # noqa: E501
    ('npm-access-token', ('npm_', 'NPM_'),
     '(?i:npm_[a-z0-9]{36,})'),  # noqa: E501
    ('octopus-deploy-api-key', ('API-',),
     'API-[A-Z0-9]{26,}'),  # noqa: E501
    ('openshift-user-token', ('sha256',),
     'sha256~[\\w-]{43,}'),  # noqa: E501
    ('perplexity-api-key', ('pplx-',),
     'pplx-[a-zA-Z0-9]{48,}'),  # noqa: E501
    ('plaid-api-token', ('access-', 'ACCESS-'),
     '(?i:access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12,})'),  # noqa: E501
    ('planetscale-api-token', ('pscale_tkn_',),
     'pscale_tkn_(?i:[\\w=\\.-]{32,})'),  # noqa: E501
    ('planetscale-oauth-token', ('pscale_oauth_',),
     'pscale_oauth_[\\w=\\.-]{32,}'),  # noqa: E501
    ('planetscale-password', ('pscale_pw_', 'PSCALE_PW_'),
     '(?i:pscale_pw_(?i:[\\w=\\.-]{32,}))'),  # noqa: E501
    ('postman-api-token', ('PMAK-',),
     'PMAK-(?i:[a-f0-9]{24}\\-[a-f0-9]{34,})'),  # noqa: E501
    ('prefect-api-token', ('pnu_',),
     'pnu_[a-zA-Z0-9]{36,}'),  # noqa: E501
    ('pulumi-api-token', ('pul-',),
     'pul-[a-f0-9]{40,}'),  # noqa: E501
    ('pypi-upload-token', ('pypi-AgEIcHlwaS5vcmc',),
     'pypi-AgEIcHlwaS5vcmc[\\w-]{50,}'),  # noqa: E501
    ('readme-api-token', ('rdme_',),
     'rdme_[a-z0-9]{70,}'),  # noqa: E501
    ('rubygems-api-token', ('rubygems_',),
     'rubygems_[a-f0-9]{48,}'),  # noqa: E501
    ('scalingo-api-token', ('tk-us-',),
     'tk-us-[\\w-]{48,}'),  # noqa: E501
    ('sendgrid-api-token', ('SG.',),
     'SG\\.(?i:[a-z0-9=_\\-\\.]{66,})'),  # noqa: E501
    ('sendinblue-api-token', ('xkeysib-',),
     'xkeysib-[a-f0-9]{64}\\-(?i:[a-z0-9]{16,})'),  # noqa: E501
    ('sentry-org-token', ('sntrys_eyJpYXQiO',),
     'sntrys_eyJpYXQiO[a-zA-Z0-9+/]{10,200}(?:LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|cmVnaW9uX3VybCI6)[a-zA-Z0-9+/]{10,200}={0,2}_[a-zA-Z0-9+/]{43,}'),  # noqa: E501
    ('sentry-user-token', ('sntryu_',),
     'sntryu_[a-f0-9]{64,}'),  # noqa: E501
    ('settlemint-application-access-token', ('sm_aat_',),
     'sm_aat_[a-zA-Z0-9]{16,}'),  # noqa: E501
    ('settlemint-personal-access-token', ('sm_pat_',),
     'sm_pat_[a-zA-Z0-9]{16,}'),  # noqa: E501
    ('settlemint-service-access-token', ('sm_sat_',),
     'sm_sat_[a-zA-Z0-9]{16,}'),  # noqa: E501
    ('shippo-api-token', ('shippo_',),
     'shippo_(?:live|test)_[a-fA-F0-9]{40,}'),  # noqa: E501
    ('shopify-access-token', ('shpat_',),
     'shpat_[a-fA-F0-9]{32,}'),  # noqa: E501
    ('shopify-custom-access-token', ('shpca_',),
     'shpca_[a-fA-F0-9]{32,}'),  # noqa: E501
    ('shopify-private-app-access-token', ('shppa_',),
     'shppa_[a-fA-F0-9]{32,}'),  # noqa: E501
    ('shopify-shared-secret', ('shpss_',),
     'shpss_[a-fA-F0-9]{32,}'),  # noqa: E501
    ('slack-app-token', ('xapp-', 'XAPP-'),
     '(?i:xapp-\\d-[A-Z0-9]+-\\d+-[a-z0-9]+)'),  # noqa: E501
    ('slack-bot-token', ('xoxb-',),
     'xoxb-[0-9]{10,13}-[0-9]{10,13}[a-zA-Z0-9-]*'),  # noqa: E501
    ('slack-config-access-token', ('xoxe.xox', 'XOXE.XOX'),
     '(?i:xoxe.xox[bp]-\\d-[A-Z0-9]{163,})'),  # noqa: E501
    ('slack-config-refresh-token', ('xoxe-', 'XOXE-'),
     '(?i:xoxe-\\d-[A-Z0-9]{146,})'),  # noqa: E501
    ('slack-legacy-bot-token', ('xoxb-',),
     'xoxb-[0-9]{8,14}-[a-zA-Z0-9]{18,}'),  # noqa: E501
    ('slack-legacy-token', ('xox',),
     'xox[os]-\\d+-\\d+-\\d+-[a-fA-F\\d]+'),  # noqa: E501
    ('slack-legacy-workspace-token', ('xox',),
     'xox[ar]-(?:\\d-)?[0-9a-zA-Z]{8,}'),  # noqa: E501
    ('slack-user-token', ('xox',),
     'xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,}'),  # noqa: E501
    ('square-access-token', ('sq0atp-', 'EAAA'),
     '(?:EAAA|sq0atp-)[\\w-]{22,}'),  # noqa: E501
    ('stripe-access-token', ('sk_test', 'sk_live', 'sk_prod', 'rk_test', 'rk_live', 'rk_prod'),
     '(?:sk|rk)_(?:test|live|prod)_[a-zA-Z0-9]{10,}'),  # noqa: E501
    ('twilio-api-key', ('SK',),
     'SK[0-9a-fA-F]{32,}'),  # noqa: E501
    ('typeform-api-token', ('tfp_', 'TFP_'),
     '(?i:tfp_[a-z0-9\\-_\\.=]{59,})'),  # noqa: E501
    ('vault-batch-token', ('hvb.',),
     'hvb\\.[\\w-]{138,}'),  # noqa: E501
    ('yandex-access-token', ('t1.', 'T1.'),
     '(?i:t1\\.[A-Z0-9a-z_-]+[=]{0,2}\\.[A-Z0-9a-z_-]{86}[=]{0,})'),  # noqa: E501
    ('yandex-api-key', ('AQVN', 'aqvn'),
     '(?i:AQVN[A-Za-z0-9_\\-]{35,})'),  # noqa: E501
)
"""Kind, literals of which one is in every match, and the pattern."""

NAMED: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ('adafruit-api-key', ('adafruit',), '(?i:adafruit)',
     '(?i:[a-z0-9_-]{32,})'),  # noqa: E501
    ('airtable-api-key', ('airtable',), '(?i:airtable)',
     '(?i:[a-z0-9]{17,})'),  # noqa: E501
    ('algolia-api-key', ('algolia',), '(?i:algolia)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('alibaba-secret-key', ('alibaba',), '(?i:alibaba)',
     '(?i:[a-z0-9]{30,})'),  # noqa: E501
    ('asana-client-secret', ('asana',), '(?i:asana)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('beamer-api-token', ('beamer',), '(?i:beamer)',
     '(?i:b_[a-z0-9=_\\-]{44,})'),  # noqa: E501
    ('bitbucket-client-secret', ('bitbucket',), '(?i:bitbucket)',
     '(?i:[a-z0-9=_\\-]{64,})'),  # noqa: E501
    ('bittrex-access-key', ('bittrex',), '(?i:bittrex)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('bittrex-secret-key', ('bittrex',), '(?i:bittrex)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('cloudflare-api-key', ('cloudflare',), '(?i:cloudflare)',
     '(?i:[a-z0-9_-]{40,})'),  # noqa: E501
    ('codecov-access-token', ('codecov',), '(?i:codecov)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('cohere-api-token', ('cohere', 'co_api_key'), '(?i:cohere|CO_API_KEY)',
     '[a-zA-Z0-9]{40,}'),  # noqa: E501
    ('coinbase-access-token', ('coinbase',), '(?i:coinbase)',
     '(?i:[a-z0-9_-]{64,})'),  # noqa: E501
    ('confluent-access-token', ('confluent',), '(?i:confluent)',
     '(?i:[a-z0-9]{16,})'),  # noqa: E501
    ('confluent-secret-key', ('confluent',), '(?i:confluent)',
     '(?i:[a-z0-9]{64,})'),  # noqa: E501
    ('contentful-delivery-api-token', ('contentful',), '(?i:contentful)',
     '(?i:[a-z0-9=_\\-]{43,})'),  # noqa: E501
    ('datadog-access-token', ('datadog',), '(?i:datadog)',
     '(?i:[a-z0-9]{40,})'),  # noqa: E501
    ('discord-client-secret', ('discord',), '(?i:discord)',
     '(?i:[a-z0-9=_\\-]{32,})'),  # noqa: E501
    ('droneci-access-token', ('droneci',), '(?i:droneci)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('dropbox-api-token', ('dropbox',), '(?i:dropbox)',
     '(?i:[a-z0-9]{15,})'),  # noqa: E501
    ('dropbox-long-lived-api-token', ('dropbox',), '(?i:dropbox)',
     '(?i:[a-z0-9]{11}(?:AAAAAAAAAA)[a-z0-9\\-_=]{43,})'),  # noqa: E501
    ('etsy-access-token', ('etsy',), '(?i:(?-i:ETSY|[Ee]tsy))',
     '(?i:[a-z0-9]{24,})'),  # noqa: E501
    ('fastly-api-token', ('fastly',), '(?i:fastly)',
     '(?i:[a-z0-9=_\\-]{32,})'),  # noqa: E501
    ('finicity-client-secret', ('finicity',), '(?i:finicity)',
     '(?i:[a-z0-9]{20,})'),  # noqa: E501
    ('finnhub-access-token', ('finnhub',), '(?i:finnhub)',
     '(?i:[a-z0-9]{20,})'),  # noqa: E501
    ('flickr-access-token', ('flickr',), '(?i:flickr)',
     '(?i:[a-z0-9]{32,})'),  # noqa: E501
    ('freshbooks-access-token', ('freshbooks',), '(?i:freshbooks)',
     '(?i:[a-z0-9]{64,})'),  # noqa: E501
    ('gitter-access-token', ('gitter',), '(?i:gitter)',
     '(?i:[a-z0-9_-]{40,})'),  # noqa: E501
    ('intercom-api-key', ('intercom',), '(?i:intercom)',
     '(?i:[a-z0-9=_\\-]{60,})'),  # noqa: E501
    ('jfrog-api-key', ('jfrog', 'artifactory', 'bintray', 'xray'), '(?i:jfrog|artifactory|bintray|xray)',
     '(?i:[a-z0-9]{73,})'),  # noqa: E501
    ('jfrog-identity-token', ('jfrog', 'artifactory', 'bintray', 'xray'), '(?i:jfrog|artifactory|bintray|xray)',
     '(?i:[a-z0-9]{64,})'),  # noqa: E501
    ('kraken-access-token', ('kraken',), '(?i:kraken)',
     '(?i:[a-z0-9\\/=_\\+\\-]{80,})'),  # noqa: E501
    ('launchdarkly-access-token', ('launchdarkly',), '(?i:launchdarkly)',
     '(?i:[a-z0-9=_\\-]{40,})'),  # noqa: E501
    ('linkedin-client-secret', ('linkedin', 'linked_in', 'linked-in'), '(?i:linked[_-]?in)',
     '(?i:[a-z0-9]{16,})'),  # noqa: E501
    ('lob-api-key', ('test_', 'live_'), '(?i:lob)',
     '(?i:(?:live|test)_[a-f0-9]{35,})'),  # noqa: E501
    ('looker-client-secret', ('looker',), '(?i:looker)',
     '(?i:[a-z0-9]{24,})'),  # noqa: E501
    ('mattermost-access-token', ('mattermost',), '(?i:mattermost)',
     '(?i:[a-z0-9]{26,})'),  # noqa: E501
    ('messagebird-api-token', ('messagebird', 'message-bird', 'message_bird'), '(?i:message[_-]?bird)',
     '(?i:[a-z0-9]{25,})'),  # noqa: E501
    ('netlify-access-token', ('netlify',), '(?i:netlify)',
     '(?i:[a-z0-9=_\\-]{40,})'),  # noqa: E501
    ('new-relic-user-api-id', ('new-relic', 'newrelic', 'new_relic'), '(?i:new-relic|newrelic|new_relic)',
     '(?i:[a-z0-9]{64,})'),  # noqa: E501
    ('nytimes-access-token', ('nytimes', 'new-york-times', 'newyorktimes'), '(?i:nytimes|new-york-times,|newyorktimes)',
     '(?i:[a-z0-9=_\\-]{32,})'),  # noqa: E501
    ('okta-access-token', ('okta',), '(?i:(?-i:[Oo]kta|OKTA))',
     '00[\\w=\\-]{40,}'),  # noqa: E501
    ('plaid-secret-key', ('plaid',), '(?i:plaid)',
     '(?i:[a-z0-9]{30,})'),  # noqa: E501
    ('privateai-api-token', ('privateai', 'private_ai', 'private-ai'), '(?i:private[_-]?ai)',
     '[a-z0-9]{32,}'),  # noqa: E501
    ('rapidapi-access-token', ('rapidapi',), '(?i:rapidapi)',
     '(?i:[a-z0-9_-]{50,})'),  # noqa: E501
    ('sonar-api-token', ('sonar',), '(?i:sonar[_.-]?(login|token))',
     '(?i:(?:squ_|sqp_|sqa_)?[a-z0-9=_\\-]{40,})'),  # noqa: E501
    ('sumologic-access-token', ('sumo',), '(?i:(?-i:[Ss]umo|SUMO))',
     '(?i:[a-z0-9]{64,})'),  # noqa: E501
    ('travisci-access-token', ('travis',), '(?i:travis)',
     '(?i:[a-z0-9]{22,})'),  # noqa: E501
    ('twitch-api-token', ('twitch',), '(?i:twitch)',
     '(?i:[a-z0-9]{30,})'),  # noqa: E501
    ('twitter-access-secret', ('twitter',), '(?i:twitter)',
     '(?i:[a-z0-9]{45,})'),  # noqa: E501
    ('twitter-api-key', ('twitter',), '(?i:twitter)',
     '(?i:[a-z0-9]{25,})'),  # noqa: E501
    ('twitter-api-secret', ('twitter',), '(?i:twitter)',
     '(?i:[a-z0-9]{50,})'),  # noqa: E501
    ('twitter-bearer-token', ('twitter',), '(?i:twitter)',
     '(?i:A{22}[a-zA-Z0-9%]{80,})'),  # noqa: E501
    ('yandex-aws-access-token', ('yandex',), '(?i:yandex)',
     '(?i:YC[a-zA-Z0-9_\\-]{38,})'),  # noqa: E501
    ('zendesk-secret-key', ('zendesk',), '(?i:zendesk)',
     '(?i:[a-z0-9]{40,})'),  # noqa: E501
)
"""Kind, literals, the vendor's names, and a value that a sign ties to one of them."""
# fmt: on
