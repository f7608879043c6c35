// The structure of src: which folder may import which. ARCHITECTURE.md says what each of them is. Names are separated by
// spaces.

/** The groups in src, from the bottom to the top. A group may import every group before it. */
export const GROUPS = [
  ...['base', 'contract', 'translation', 'platform', 'tenants', 'money'],
  ...['calls', 'endpoints', 'jobs', 'http', 'server', 'cli'],
]

/** The folders of a group: which of their siblings each may import. `.` is the group's own folder. */
export const FOLDERS: Record<string, Record<string, string>> = {
  base: {
    bytes: '',
    fairness: '',
    redaction: '',
    schema: '',
    sniff: 'bytes units',
    units: '',
  },
  contract: {
    '.': '',
    admin: '.',
    cohere: '.',
    gemini: '.',
    legacy: '.',
    openapi: '',
    responses: '.',
  },
  translation: {
    dialects: 'engine-api json wire',
    'engine-api': '',
    engines: 'engine-api hooks wire',
    formats: 'dialects json wire',
    hooks: 'engine-api json wire',
    json: '',
    sandbox: 'json wire',
    tasks: 'dialects engine-api json wire',
    wire: '',
  },
  platform: {
    '.': 'store',
    blobs: 'net',
    catalog: 'providers',
    config: 'catalog providers',
    net: '',
    providers: '',
    secrets: 'blobs config store',
    store: '',
    telemetry: 'net',
  },
  tenants: {
    '.': 'access jwt sign-in',
    access: 'audit people',
    agents: 'access audit people sign-in',
    aliases: '. audit',
    audit: '',
    credentials: '. audit',
    jwt: 'access',
    people: 'audit',
    projects: 'access audit people',
    'sign-in': 'access audit jwt people',
  },
  money: {
    '.': 'billing limits',
    billing: '',
    limits: 'billing',
  },
  calls: {
    '.': 'origin',
    attempts: '.',
    contents: '.',
    'file-inputs': '. attempts files services',
    files: '',
    origin: '',
    routing: 'attempts files services',
    services: '. attempts contents files',
    tracing: '.',
    upstream: '. attempts file-inputs files routing services',
  },
  endpoints: {
    audio: '',
    chat: 'tokens universal',
    embeddings: '',
    explain: '',
    images: '',
    moderations: '',
    rerank: 'embeddings',
    responses: 'chat tokens',
    tokens: '',
    universal: 'embeddings images',
  },
  jobs: {
    '.': 'webhooks',
    admin: '. webhooks',
    alerts: 'webhooks',
    'background-responses': '.',
    batches: '. webhooks',
    webhooks: '',
  },
  http: {
    '.': 'admin cached console edge entry export log paths routes websocket',
    admin: '.',
    cached: '',
    console: 'cached',
    docs: '',
    edge: '.',
    entry: '',
    export: '. admin',
    forms: '.',
    log: '. entry',
    openapi: '. docs paths',
    paths: '. admin',
    routes: '. admin cached console docs edge entry export forms openapi websocket',
    websocket: '.',
  },
  server: {
    '.': 'replicas',
    replicas: '',
  },
  cli: {
    '.': 'agents audit budgets command-line completion demo doctor import init keys output users',
    agents: '. command-line',
    audit: '. command-line',
    budgets: '. command-line',
    'command-line': '.',
    completion: '. command-line',
    demo: '',
    doctor: '. command-line',
    import: '. command-line output',
    init: '. command-line',
    keys: '. command-line',
    output: '.',
    users: '. command-line',
  },
}

/**
 * The console in `console/`: which of its folders may import which. Of `src` it imports types of `contract`, the functions of
 * `contract/openapi/read-document.ts`, and `base/units`.
 */
export const CONSOLE_FOLDERS: Record<string, string> = {
  '.': 'api app style',
  api: '',
  docs: 'api parts style',
  parts: 'api',
  screens: 'api parts',
  app: 'api parts screens',
  style: '',
}
