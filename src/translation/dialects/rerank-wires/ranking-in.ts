import { tryParse } from '../../json/try-parse.ts'
import { isRecord, readCount, recordOf } from '../../../base/schema/record.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { problemIn } from '../openai/problem.ts'
import type { Ranking } from './rerank-codec.ts'

/** Reads the answer of any provider: they differ in the name of the list and in the place of the usage. */
export function rankingIn(text: string, documents: number): Ranking {
  const value = tryParse(text)
  const failure = problemIn(value)
  if (failure) throw failure
  const { id, results, data, usage, meta } = recordOf(value)
  const list: unknown[] | undefined = Array.isArray(results) ? results : Array.isArray(data) ? data : undefined
  const read = list?.map(resultIn)
  if (!read?.every((one) => one !== undefined && one.index < documents) || hasRepeated(read as Ranking['results']))
    throw notAnAnswer(text, 'a ranking of the documents')
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    results: read as Ranking['results'],
    tokens: tokensIn(recordOf(usage), recordOf(meta)),
    searchUnits: countIn(recordOf(recordOf(meta).billed_units).search_units),
  }
}

function resultIn(value: unknown): Ranking['results'][number] | undefined {
  const { index, relevance_score } = recordOf(value)
  const isIndex = Number.isInteger(index) && (index as number) >= 0
  const isRead = isRecord(value) && isIndex && Number.isFinite(relevance_score)
  return isRead ? { index: index as number, score: relevance_score as number } : undefined
}

function hasRepeated(results: Ranking['results']): boolean {
  return new Set(results.map(({ index }) => index)).size < results.length
}

function tokensIn(usage: Record<string, unknown>, meta: Record<string, unknown>): number | undefined {
  return (
    countIn(usage.total_tokens) ??
    countIn(usage.prompt_tokens) ??
    countIn(recordOf(meta.billed_units).input_tokens) ??
    countIn(recordOf(meta.tokens).input_tokens)
  )
}

function countIn(value: unknown): number | undefined {
  return value == null ? undefined : readCount(value)
}
