const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text could be the id of an upload, a result, a job or a collection: they are lower-case UUIDs. */
export function isResourceId(id: string): boolean {
  return UUID.test(id)
}
