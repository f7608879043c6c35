import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { KEY_USAGE_QUERY, KeyUsage, OrganizationUsage, USAGE_QUERY } from '../../../contract/manage/usage.ts'
import { usageOfKey, usageOfOrganization } from '../../../money/managed/usage.ts'
import { route } from '../../define-route.ts'
import { manageIsOn, managed } from './managed.ts'

const LINES = 'Sums of the calls that are still stored, in the time zone of `manage` in the config file.'

export const ofOrganization = route({
  method: 'GET',
  path: '/v3/manage/usage',
  access: 'manage',
  manages: 'manage:read',
  isOn: manageIsOn,
  summary: 'Get usage by key',
  description: LINES,
  query: Type.Object(USAGE_QUERY, closed),
  replies: { 200: { description: 'The sums.', schema: OrganizationUsage } },
  handle: (request, _reply, services) => usageOfOrganization(request.query, managed(request, services)),
})

export const ofKey = route({
  method: 'GET',
  path: '/v3/manage/keys/{id}/usage',
  access: 'manage',
  manages: 'manage:read',
  isOn: manageIsOn,
  summary: 'Get usage of a client key',
  description: LINES,
  query: Type.Object(KEY_USAGE_QUERY, closed),
  replies: { 200: { description: 'The sums.', schema: KeyUsage } },
  handle: (request, _reply, services) => usageOfKey(request.params.id, request.query, managed(request, services)),
})
