import { getJson, pathTo, sendJson } from './client.ts'
import { useAnswer } from './use-answer.ts'
import { usePages } from './use-pages.ts'

// What must not compile in the console. Nothing of this runs: the compiler fails if one of the marked lines has no error.

export default async function cases(id: string): Promise<unknown[]> {
  const key = await getJson(pathTo('/admin/keys/{id}', { id }))
  const list = useAnswer('/admin/aliases', { limit: 10 }).value
  const jobs = usePages('/admin/jobs', { status: 'running' }).items
  const alias = await sendJson('PATCH', pathTo('/admin/aliases/{alias}', { alias: 'fast' }), { hidden: true })
  return [
    [key.name, list?.items[0]?.owned_by, jobs[0]?.executions, alias.updated_at],

    // @ts-expect-error The answer has no such field.
    key.secret,
    // @ts-expect-error The entries of the list have no such field.
    list?.items[0]?.title,
    // @ts-expect-error The entries of the pages have no such field.
    jobs[0]?.output,
    // @ts-expect-error The answer to a change has no such field.
    alias.id,

    // @ts-expect-error There is no such path.
    getJson('/admin/things'),
    // @ts-expect-error The path has no such method.
    sendJson('DELETE', '/admin/aliases'),
    // @ts-expect-error The parameter is not filled in.
    getJson('/admin/keys/{id}'),
    // @ts-expect-error A path that was put together is no path of the contract.
    getJson(`/admin/keys/${id}`),
    // @ts-expect-error The path has no such parameter.
    pathTo('/admin/keys/{id}', { key: id }),
    // @ts-expect-error The query has no such name.
    getJson('/admin/keys', { owner: id }),
    // @ts-expect-error The answer is no page.
    usePages('/admin/me', {}),

    // @ts-expect-error The body has no such field.
    sendJson('POST', '/admin/members', { user: id, role: 'member', title: '' }),
    // @ts-expect-error A field of the body is missing.
    sendJson('POST', '/admin/members', { user: id }),
    // @ts-expect-error There is no such role.
    sendJson('POST', '/admin/members', { user: id, role: 'king' }),
    // @ts-expect-error The endpoint takes a body.
    sendJson('POST', '/admin/aliases'),
    // @ts-expect-error The endpoint takes no body.
    sendJson('POST', pathTo('/admin/jobs/{job_id}/cancel', { job_id: id }), { reason: '' }),
  ]
}
