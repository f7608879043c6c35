import { problem } from '../../../contract/problems.ts'
import { shortened } from './shortened.ts'

/** The value of `model` with which the gateway chooses the model. */
export const ROUTER_VALUE = '@service'

/** What clients of the hosted original write. */
const OTHER_ROUTER_VALUE = '@edenai'

/** Throws for any other `@…`: no provider has such a name, so the caller means a router that does not exist. */
export function isRouterValue(model: string): boolean {
  if (!model.startsWith('@')) return false
  if (model === ROUTER_VALUE || model === OTHER_ROUTER_VALUE) return true
  const message = `There is no router '${shortened(model)}', only '${ROUTER_VALUE}'. A model is named provider/model.`
  throw problem('model_not_found', { message, param: 'model' })
}
