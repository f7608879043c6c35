import { ChangeConfigRequest, ConfigReport, ReloadReport } from '../../../contract/admin/config.ts'
import { ValidationErrorBody } from '../../../contract/errors.ts'
import { problem } from '../../../contract/problems.ts'
import { authorOfRequest } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'

export const show = route({
  method: 'GET',
  path: '/admin/config',
  access: 'admin',
  permission: 'config.read',
  summary: 'Get the configuration',
  description:
    'Every value with its origin, the values that wait for a restart, and where the processes of this installation differ. ' +
    'Secrets are masked, also in URLs and lists.',
  replies: { 200: { description: 'The configuration.', schema: ConfigReport } },
  handle: (_request, _reply, services) => services.operations.describeConfig(),
})

export const change = route({
  method: 'PATCH',
  path: '/admin/config',
  access: 'admin',
  permission: 'config.write',
  summary: 'Change the log level',
  description: 'Applies here at once, and in all other processes within seconds. It stays after restarts and reloads.',
  body: ChangeConfigRequest,
  replies: { 200: { description: 'The configuration.', schema: ConfigReport } },
  handle: async (request, _reply, services) => {
    const { log_level } = request.body.value
    await services.operations.changeLogLevel(log_level, authorOfRequest(request))
    return await services.operations.describeConfig()
  },
})

export const reload = route({
  method: 'POST',
  path: '/admin/config/reload',
  access: 'admin',
  permission: 'config.write',
  summary: 'Reload the config file',
  description:
    'The file is checked first. If it is not valid, the answer is 422 with the path of the setting, and nothing changes. ' +
    'Requests in progress keep the configuration that they began with.',
  replies: {
    200: { description: 'The new configuration is in use.', schema: ReloadReport },
    422: { description: 'The config file is not valid; nothing has changed.', schema: ValidationErrorBody },
  },
  handle: async (request, _reply, services) => {
    try {
      return await services.operations.reloadConfig(authorOfRequest(request))
    } catch (error) {
      throw error instanceof Error && error.name === 'ConfigError' ? invalid(error.message) : error
    }
  },
})

/** The message starts with the path of the setting: `providers.fake.dialect: Input should be …`. */
function invalid(message: string) {
  const [path = ''] = message.split(': ')
  const detail = [{ loc: ['config', path], msg: message, type: 'value_error' }]
  return problem('validation_error', { message, param: path, detail })
}
