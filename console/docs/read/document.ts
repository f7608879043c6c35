import type { OpenApiDocument, Operation } from '../../../src/contract/openapi/document.ts'
import { webhooksOf } from '../../../src/contract/openapi/read-document.ts'

export type { OpenApiDocument }

/** One operation of the document, with what the page calls it. */
export type Listed = {
  id: string
  method: string
  path: string
  /** The chapter that it stands in. */
  group: string
  operation: Operation
  /** The gateway calls it, instead of serving it. */
  isWebhook: boolean
}

/** All operations, in the order of the document. */
export function operationsOf({ paths }: OpenApiDocument): Listed[] {
  return [...listed(paths, false), ...listed(webhooksOf(paths), true)]
}

/** The chapters, in the order of their first operations. */
export function groupsOf(operations: readonly Listed[]): [string, Listed[]][] {
  return [...Map.groupBy(operations, ({ group }) => group)]
}

function listed(paths: OpenApiDocument['paths'], isWebhook: boolean): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
      isWebhook,
      group: isWebhook ? 'Webhooks' : groupOf(path),
    })),
  )
}

/** Chapters whose name is not in the path, or that several paths share. */
const TITLES: Readonly<Record<string, string>> = {
  chat: 'Chat',
  completions: 'Chat',
  messages: 'Chat',
  v1beta: 'Gemini format',
  v2: 'Cohere format',
  'universal-ai': 'Universal tasks',
  info: 'Universal tasks',
  upload: 'Files',
  files: 'Files',
  results: 'Files',
  key: 'Keys',
  me: 'Your account',
  sessions: 'Your account',
  setup: 'Your account',
}

/** `/v3/v1/messages` is about messages, `/admin/rate-limits/{id}` about rate limits. Pages have no such prefix. */
function groupOf(path: string): string {
  const [, topic] = /^\/(?:v3(?:\/v1)?|admin)\/([\w-]+)/.exec(path) ?? /^\/(health|results|metrics)/.exec(path) ?? []
  if (topic === undefined) return 'Pages'
  return TITLES[topic] ?? (topic.charAt(0).toUpperCase() + topic.slice(1)).replaceAll('-', ' ')
}
