import Type from '../../../../base/schema/type.ts'

// The filters of jobs and webhooks, in queries and in bodies.

export const WITH_CONTENT = Type.Object({
  content: Type.Optional(
    Type.Boolean({ default: false, description: 'Include the content. The audit log records this.' }),
  ),
})

/** The times of a body have been checked; those of a query are read with `readTime`. */
type ReadTime = (name: string, text: string) => number

/** A filter with its times as numbers. */
export function timesAsNumbers<Filter extends { from?: string; to?: string }>(
  { from, to, ...rest }: Filter,
  read: ReadTime = (_, text) => Date.parse(text),
) {
  return {
    ...rest,
    ...(from !== undefined && { from: read('from', from) }),
    ...(to !== undefined && { to: read('to', to) }),
  }
}
