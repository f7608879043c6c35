const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text could be the id of an upload, a result, a job or a collection: they are lower-case UUIDs. */
export function isResourceId(id: string): boolean {
  return UUID.test(id)
}

/** Other formats have ids without dashes. */
export function withoutDashes(id: string): string {
  return id.replaceAll('-', '')
}

/** The id that `withoutDashes` wrote. A text of any other form stays as it is. */
export function withDashes(text: string): string {
  return text.replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/, '$1-$2-$3-$4-$5')
}
