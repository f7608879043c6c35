import Type, { type Static, type TSchema } from '../../../../base/schema/type.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForAnswer, askForJson } from '../../http/ask-provider.ts'
import { boxOf, pointsIn } from '../../results/box-of.ts'
import { base64Of } from '../../http/inline-file.ts'
import { type Fields, jsonPayload, queryOf } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { untilDone } from '../../http/until-done.ts'

// https://learn.microsoft.com/rest/api/aiservices/document-models/analyze-document: started, then asked for.

const VERSION = '2024-11-30'
const ACCEPTED = {
  types: [
    'application/pdf',
    'image/jpeg',
    'image/png',
    'image/bmp',
    'image/tiff',
    'image/gif',
    'image/heif',
    'image/heic',
  ],
  megabytes: 500,
  pages: 2_000,
}

export type AnalysisTicket = { path: string }

export async function startAnalysis(
  tools: Tools,
  model: string,
  file: TaskFile,
  query: Fields = {},
): Promise<AnalysisTicket> {
  const payload = jsonPayload({ base64Source: await base64Of(acceptFile(file, ACCEPTED)) })
  const requested = queryOf({ ...query, 'api-version': VERSION })
  const path = `/documentintelligence/documentModels/${model}:analyze${requested}`
  const { headers } = await askForAnswer(tools, { path, payload })
  return { path: ownPath(headers['operation-location']) }
}

type State = { status: string; error?: { code?: string; message?: string }; analyzeResult?: unknown }

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    error: Type.Optional(Type.Object({ code: Type.Optional(Type.String()), message: Type.Optional(Type.String()) })),
    analyzeResult: Type.Optional(Type.Unknown()),
  }),
)

/** Creates a function that runs an analysis; the schema describes its result. */
export function analysisOf<Result extends TSchema>(result: Result) {
  const readResult = replyReader(result)
  return async ({ path }: AnalysisTicket, tools: Tools): Promise<'pending' | Static<Result>> => {
    const { status, error, analyzeResult }: State = await askForJson(tools, { path }, readState)
    if (status === 'notStarted' || status === 'running') return 'pending'
    if (status === 'succeeded') return readResult(analyzeResult)
    throw abandoned(tools, error?.code, error?.message)
  }
}

/** Deletes the file and the result at Microsoft now instead of a day later. */
export async function stopAnalysis({ path }: AnalysisTicket, tools: Tools): Promise<void> {
  await askForAnswer(tools, { method: 'DELETE', path })
}

/** Analyzes while the caller waits. */
export async function analyzed<Result>(
  tools: Tools,
  ticket: AnalysisTicket,
  poll: (ticket: AnalysisTicket, tools: Tools) => Promise<'pending' | Result>,
): Promise<Result> {
  return await untilDone(() => poll(ticket, tools), tools)
}

export const Polygon = Type.Optional(Type.Array(Type.Number()))

export function pageBox(polygon: readonly number[] | undefined, page: { width?: number; height?: number } | undefined) {
  return boxOf(pointsIn(polygon ?? []), page?.width || 1, page?.height || 1) ?? undefined
}

/** The answer contains the whole URL to poll; the credential is sent only to the configured address. */
function ownPath(location: string | string[] | undefined): string {
  const path = /\/documentintelligence\/.*/.exec(String(location ?? ''))?.[0]
  if (path) return path
  throw new TaskFailure('garbage', 'the answer of the provider contains no URL of the result')
}
