import {
  HARMLESS_HEADERS,
  HEADER_REASONS,
  RESERVED_NAMES,
  RESERVED_PREFIXES,
  RESERVED_WORDS,
} from '../src/contract/reserved-headers.ts'
import {
  FOR_EVERY_CHAT_PROVIDER,
  FOR_EVERY_PROVIDER,
  type GovernedField,
  type GovernedFields,
  REASONS,
  RETAINING_FIELDS,
} from '../src/platform/providers/governed-fields.ts'
import { MODEL_SETTINGS, SHARED_TOKENS } from '../src/platform/providers/output-destinations.ts'
import type { ProviderRow } from '../src/platform/providers/provider.ts'
import { PROVIDERS } from '../src/platform/providers/providers.ts'
import { code, list, table } from './markdown.ts'

/** The text of docs/governed-fields.md. */
export function governedPage(): string {
  return [
    HEAD,
    '## Dropped fields\n',
    FIELDS,
    table(
      ['provider', 'fields', 'why'],
      [
        ...rows('every provider', FOR_EVERY_PROVIDER),
        ...rows('every provider with chat models', FOR_EVERY_CHAT_PROVIDER),
        ...retainingRows(),
        ...factsOf('governedFields').flatMap(([provider, fields]) => rows(`\`${provider}\``, fields)),
      ],
    ),
    CUSTOM,
    '## What tools may not name\n',
    TOOLS,
    '## Models that a request names in other places\n',
    `${MODELS} ${factsOf('indirectModels')
      .map(([provider]) => code(provider))
      .join(', ')}.\n`,
    '## Headers\n',
    HEADERS,
    table(['why', 'names', 'all that begin with', 'words between hyphens'], headerRows()),
    `These headers are allowed, although the table covers their names: ${list([...HARMLESS_HEADERS])}.\n`,
    '## `provider_params`, and fields of images and recordings\n',
    destinations(),
  ].join('\n')
}

const TOOLS = `Vector stores, containers and files of a provider are in the operator's account, which all callers share. Gatehouse answers 422 if a tool of a
request names one: \`vector_store_ids\`, \`collection_ids\` or \`file_ids\` of any tool, a container by its id or \`file_ids\` in \`code_interpreter\`, \`container_id\`, \`file_ids\` and
skills by their id in \`shell\`, and stores in Gemini's \`fileSearch\` and \`retrieval\`. \`{"type": "auto"}\` makes a container for the call. The \`container_id\` of a \`code_interpreter_call\` in an answer is signed for the owner who got it: sent
back in \`input\`, it leads that owner, and no other, to the same container. Items that name a container of others, or an image that only the provider has, are left out with a note.

The same holds for files in the content of a request: ids of a provider (\`file_…\`, \`file-…\`, \`files/…\` and its address at Google), \`gs://\` and \`s3://\` addresses and \`s3Location\` get 422 in
every format. Upload the file to Gatehouse (\`POST /v3/files\`) and send that id, a public address, or the bytes. A custom provider whose files all
callers may use can allow them: \`"allowFields": ["file_id"]\`.
`

const HEAD = `# What a request may not choose

The gateway checks a key for the model, the region and the endpoint that a request names, and computes the cost from the price of that model.
Therefore nothing else in the request may choose another model, host, account or address. \`npm run docs\` writes this page from the rows of
\`src/platform/providers/\`, \`src/platform/providers/governed-fields.ts\`, \`src/platform/providers/output-destinations.ts\` and \`src/contract/reserved-headers.ts\`.

## Spelling

Gatehouse passes on fields that it does not know, with one exception. Gatehouse answers 422 if the name of a field at the top of a body, in
\`extra_body\` or in a form differs **only in case** (\`Model\`, \`STREAM\`, \`ſtream\` with a long s, \`model[0]\`) from a field that Gatehouse reads,
checks, bills or drops. Providers with a case-insensitive parser would read such a name as that field. Names are folded like in Go's
\`encoding/json\`. Inside messages, tools, schemas and \`metadata\` you can use every name.

If an object contains a key twice, at any depth, the last value counts, for hooks and for the provider. Gatehouse rewrites such a body.
`

const FIELDS = `Gatehouse drops these fields at the top of a body and in \`extra_body\`, on every endpoint. The metadata of the answer
(\`x-gatehouse-metadata: enabled\`) has a note for each dropped field. Gatehouse passes \`unpriced\` fields on, and the cost of the call is then \`null\`. A name
that ends in \`*\` stands for all names with that beginning.
`

const CUSTOM = `The config file can allow such fields for a custom provider: \`"allowFields": ["models"]\`.
`

const MODELS = `Some tools run with their own model at the provider (\`{"type": "image_generation", "model": …}\`). The key needs access to that model. Its cost is
not known, so the cost of the call is \`null\`. Some model names do not say which model answers (a preset, a router, an ARN). A scope covers such a
name only if the scope names it exactly or covers all models of its provider:`

const HEADERS = `Gatehouse adds \`extra_headers\` to the call of the provider, and answers 422 for the headers in this table. \`_\` counts as \`-\`. Of the headers of
the request itself, Gatehouse passes on only \`anthropic-version\` and \`anthropic-beta\`, and only to providers of that format.
`

function destinations(): string {
  const own = factsOf('outputDestinations').map(([provider, names]) => `${code(provider)}: ${list(names)}`)
  return `Gatehouse answers 422 for settings that name a destination of results, at any depth and in any spelling: webhooks, callbacks, notification
topics, buckets, output locations, keys and roles of an account (also ${own.join('; ')}). The same holds for tokens that merge two requests
(${list(SHARED_TOKENS)}). Gatehouse drops ${list([...MODEL_SETTINGS])} from \`provider_params\`, because the model string names the model.

A hook that runs a task (\`moderate\`, \`translate\`) needs the same scopes as the task: \`universal\`, and a model scope that covers
\`feature/subfeature/provider\`. Hooks that work inside the gateway (\`redact_pii\`, \`pdf_text_extract\`) run no task and need only \`chat\`.
`
}

/** The providers that have this fact in their row, by their ids. */
function factsOf<Fact extends keyof ProviderRow>(fact: Fact): [id: string, value: NonNullable<ProviderRow[Fact]>][] {
  const rows = Object.entries(PROVIDERS).sort(([a], [b]) => (a < b ? -1 : 1))
  return rows.flatMap(([id, { [fact]: value }]) => (value == null ? [] : [[id, value]]))
}

/** One line for each reason. */
function rows(provider: string, fields: GovernedFields): string[][] {
  const byReason = Map.groupBy(Object.entries(fields), ([, rule]) => reasonOf(rule))
  return [...byReason].map(([reason, entries]) => [provider, list(entries.map(([name]) => name)), reason])
}

/** Not on every endpoint: only chats have such fields. */
function retainingRows(): string[][] {
  return Object.entries(RETAINING_FIELDS).map(([name, harmless]) => {
    const stay = harmless.length > 0 ? `; ${list(harmless.map((value) => JSON.stringify(value)))} may stay` : ''
    return ['every provider, for chats under `zero_retention`', code(name), REASONS.retention + stay]
  })
}

function reasonOf(rule: GovernedField): string {
  if (rule === 'unpriced') return 'unpriced'
  return typeof rule === 'string' ? REASONS[rule] : `${REASONS[rule.why]}; ${list(rule.keep)} stay`
}

function headerRows(): string[][] {
  return Object.entries(HEADER_REASONS).map(([reason, sentence]) => {
    const words = Object.keys(RESERVED_WORDS).filter((word) => RESERVED_WORDS[word] === reason)
    const [names = [], prefixes = []] = [RESERVED_NAMES, RESERVED_PREFIXES].map(
      (all) => all[reason as keyof typeof all],
    )
    return [sentence, list(names), list(prefixes), list(words)]
  })
}
