import { listOf, recordOf } from '../../../src/base/schema/record.ts'
import { ATTACK, EMAIL, findIn, only, Refused, SECRET, service, textIn } from './service.ts'

const ROLES = ['system', 'user', 'assistant', 'tool', 'developer']
const invalid = (message: string) => new Refused(400, { error: { message } })

/** Lakera Guard: it screens the last message alone, and says where personal data stands if it is asked to. */
export const lakera = service((body, { path, headers }) => {
  if (headers.authorization !== `Bearer ${SECRET}`) throw new Refused(401, { error: { message: 'Unauthorized' } })
  if (path !== '/v2/guard') throw new Refused(404, { error: { message: 'Not found' } })
  only(body, ['messages', 'project_id', 'payload', 'breakdown', 'metadata', 'dev_info'], invalid)
  const messages = listOf(body.messages).map(recordOf)
  if (messages.length === 0 || messages.some(({ role }) => !ROLES.includes(String(role)))) throw invalid('messages')
  if (body.project_id === 'project-none') throw invalid('project_id')
  const text = textIn(messages.at(-1)!.content, () => invalid('content'))
  const data = findIn(text, EMAIL).map(({ from, to }) => {
    return {
      start: from,
      end: to,
      text: EMAIL,
      detector_type: 'pii/email',
      labels: [],
      message_id: messages.length - 1,
    }
  })
  const isAttack = text.includes(ATTACK)
  const detector = (detector_type: string, detected: boolean) => {
    return {
      project_id: 'project-1',
      policy_id: 'policy-1',
      detector_id: `detector-${detector_type}`,
      detector_type,
      detected,
      message_id: 0,
    }
  }
  return {
    flagged: isAttack || data.length > 0,
    ...(body.payload === true && { payload: data }),
    ...(body.breakdown === true && {
      breakdown: [detector('prompt_attack', isAttack), detector('pii/email', data.length > 0)],
    }),
    metadata: { request_uuid: '8b2b6c1c-9f7a-4f8a-9c2d-8a44ca72e975' },
  }
})
