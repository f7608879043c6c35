type Words = Record<string, unknown>

/** The message and the codes of a provider's error. */
type ReportedError = { message: string; codes: string[] }

/**
 * Most providers write `{"error": {"message", "code"}}`, `{"error": "…"}`, `{"message"}` or `{"detail"}`; others use `msg`,
 * `err_msg`, `error_message`, a list of `errors`, an object or a list in `detail`, or an object in `status`.
 * Amazon has the code in `__type` or in a header; Google has a number as code, and its words in `status` and in the details.
 */
export function errorIn(value: unknown, header: unknown): ReportedError {
  const outer = recordOf(value)
  const inner = typeof outer.error === 'object' ? recordOf(outer.error) : outer
  const messages = [...wordsIn(inner), outer.error, outer.detail, ...wordsBelow(outer)]
  return { message: String(messages.find(isWord) ?? ''), codes: codesIn(outer, inner, header).filter(isWord) }
}

/** Microsoft has the specific code one level deeper. */
function wordsIn(inner: Words): unknown[] {
  const deeper = recordOf(inner.innererror).message
  return [deeper, inner.message, inner.Message, inner.msg, inner.err_msg, inner.error_message]
}

function wordsBelow(outer: Words): unknown[] {
  const first = firstOf(outer.errors)
  const detail = recordOf(outer.detail)
  return [
    ...[detail.message, detail.error, recordOf(first).detail, recordOf(first).message, first],
    recordOf(outer.status).description,
    ...[outer.detail, recordOf(outer.message).detail].map(faultIn),
  ]
}

/** `[{"loc": ["body", "text"], "msg": "field required"}]`, as web frameworks write it. */
function faultIn(detail: unknown): string | undefined {
  const { loc, msg } = recordOf(firstOf(detail))
  if (!isWord(msg)) return undefined
  const field = Array.isArray(loc) ? loc.at(-1) : undefined
  return isWord(field) ? `${field}: ${msg}` : msg
}

/** Face++ has codes in the field that is text at other providers. */
function codesIn(outer: Words, inner: Words, header: unknown): unknown[] {
  const details = Array.isArray(inner.details) ? inner.details.map((one) => recordOf(one).reason) : []
  const named = [inner.code, outer.name, recordOf(outer.detail).status, inner.status]
  return [...details, ...named, bareCode(inner.__type), bareCode(header), wordOfCapitals(inner.error_message)]
}

/** The name in `com.amazonaws.textract#ThrottlingException:http://…` */
function bareCode(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(value.lastIndexOf('#') + 1).split(':', 1)[0] : undefined
}

/** `CONCURRENCY_LIMIT_EXCEEDED`, `MISSING_ARGUMENTS: image_file` */
function wordOfCapitals(value: unknown): string | undefined {
  return typeof value === 'string' ? /^[A-Z][A-Z_]{3,}/.exec(value)?.[0] : undefined
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function recordOf(value: unknown): Words {
  return typeof value === 'object' && value !== null ? (value as Words) : {}
}
