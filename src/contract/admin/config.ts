import Type, { type Static } from '../../base/schema/type.ts'
import { nullable, words } from '../../base/schema/fields.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const ChangeConfigRequest = Type.Object(
  {
    log_level: Type.Union([words(LOG_LEVELS), Type.Null()], {
      description:
        'The log level of all processes, until it is changed again. Null returns to that of the configuration.',
    }),
  },
  { title: 'ChangeConfigRequest', additionalProperties: false, description: 'What changes while the gateway runs.' },
)
export type ChangeConfigRequest = Static<typeof ChangeConfigRequest>

const names = (description: string) => Type.Array(Type.String(), { description })

const ConfigValue = Type.Object(
  {
    name: Type.String({ description: 'The name in the config file, with dots between the names of sections.' }),
    variable: Type.Optional(Type.String({ description: 'The environment variable that sets the value.' })),
    value: Type.Unknown({ description: 'The value in use. Secrets are masked.' }),
    origin: words(['default', 'environment', 'file', 'store'], { description: 'Where the value comes from.' }),
    needs_restart: Type.Boolean({ description: 'A change applies only after a restart.' }),
    pending: Type.Optional(Type.Unknown({ description: 'The value that will apply after a restart.' })),
  },
  { title: 'ConfigValue' },
)

const ConfigDifference = Type.Object({
  name: Type.String({ description: 'The name of the value.' }),
  values: Type.Array(
    Type.Object({
      process: Type.String({ description: 'The name of the process.' }),
      value: Type.Unknown({
        description: 'The value there. Secrets are masked, so two that differ may look the same.',
      }),
    }),
    { description: 'What each process has.' },
  ),
})

const ProcessState = Type.Object(
  {
    process: Type.String({ description: 'The name of the process.' }),
    version: nullable(Type.String(), 'The version of its program. Null if it does not say.'),
    loaded_at: Type.String({ description: 'When its configuration became active.' }),
    config_fingerprint: Type.String({ description: 'The same in processes with the same values.' }),
    agrees: Type.Boolean({ description: 'Whether it has the version and the values of the process that answers.' }),
  },
  { title: 'ProcessState', description: 'A process that runs, and what it runs with.' },
)

export const ConfigReport = Type.Object(
  {
    file: Type.Union([Type.String(), Type.Null()], { description: 'The config file; null if there is none.' }),
    process: Type.String({ description: 'The name of the process that answers.' }),
    loaded_at: Type.String({ description: 'When this configuration became active.' }),
    log_level: Type.Object(
      {
        in_use: Type.String({ description: 'The level of the process that answers.' }),
        set: nullable(Type.String(), 'The level that an operator has set for all processes. Null if none has.'),
      },
      { description: 'What is logged.' },
    ),
    values: Type.Array(ConfigValue, { description: 'All values of the process that answers.' }),
    processes: names('All processes that were compared.'),
    process_states: Type.Array(ProcessState, { description: 'The same processes, and whether they agree.' }),
    differences: Type.Array(ConfigDifference, { description: 'Values that are not the same in all processes.' }),
  },
  { title: 'ConfigReport', description: 'The configuration in use.' },
)
export type ConfigReport = Static<typeof ConfigReport>

export const ReloadReport = Type.Object(
  {
    changed: names('The values that changed.'),
    needs_restart: names('The settings that differ from the values in use and apply only after a restart.'),
    processes: Type.Integer({ description: 'How many processes use the configuration now.' }),
  },
  { title: 'ReloadReport', description: 'What the reload did.' },
)
export type ReloadReport = Static<typeof ReloadReport>
