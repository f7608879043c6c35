import type { MemoryLease } from '../../calls/memory-budget.ts'
import type { ResponseObject, ResponsesRequest } from '../../contract/responses.ts'
import type { Fields } from '../../base/schema/record.ts'

/** A response, and the whole conversation up to its end, so that earlier responses need not be read again. */
export type StoredResponse = {
  response: ResponseObject
  items: Fields[]
  /** The texts of members of the response with numbers that would change when they are parsed. */
  exact?: Record<string, string>
}

/** The owner that a response is read for, and the lease that its memory is counted on. */
export type ResponseReader = { owner: string; memory: MemoryLease }

/** A request of the responses format with everything that it names. It can be written as JSON. */
export type ResponseRequest = {
  id: string
  /** As the client sent it. */
  body: ResponsesRequest
  /** The conversation so far, followed by the new input. */
  items: Fields[]
  /** How many of the items were there before. */
  earlier: number
  /** The texts of members with numbers that would change when they are parsed. */
  exact: Record<string, string>
  /** In seconds since 1970. */
  receivedAt: number
}
