import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, nullable, open, words } from '../base/schema/fields.ts'
import { ModelRegion } from './models.ts'

// What GET /v3/info and its children answer.

const name = (of: string) => Type.String({ description: `The name of the ${of} in a model string.` })
const fullname = Type.String({ description: 'A name for people.' })
const mode = words(['sync', 'async'], {
  description: '`sync`: the task can be run at once. `async`: only in the background.',
})

const TaskPricing = Type.Object(
  {
    price: nullable(Type.Number({ minimum: 0 }), 'USD for this quantity. Null if the price is not known.'),
    price_unit_quantity: nullable(Type.Number(), 'How many units the price is for.'),
    price_unit_type: Type.String({ description: 'The unit, such as `page` or `token`.' }),
  },
  { title: 'TaskPricing', description: 'The price of a task.', ...open },
)

const AcceptedFiles = Type.Object(
  {
    mime_types: nullable(Type.Array(Type.String()), 'The media types. Null if it accepts any.'),
    max_megabytes: nullable(Type.Number(), 'The maximum size. Null if it has none of its own.'),
    max_pages: nullable(Type.Integer(), 'The maximum number of pages. Null if it has none of its own.'),
  },
  { title: 'AcceptedFiles', description: 'The files that a provider accepts for a task.', ...open },
)

const TaskModel = Type.Object(
  {
    model: Type.String({ description: 'The value to send as `model`.' }),
    pricing: nullable(TaskPricing, 'Null if the price is not known.'),
    regions: Type.Array(ModelRegion, { description: 'Where the task is done.' }),
    files: Type.Optional(nullable(AcceptedFiles, 'Only for tasks with files. Null if it accepts any.')),
  },
  { title: 'TaskModel', description: 'A provider of a task, or a model of it.', ...open },
)

const ByModels = Type.Object(
  {
    kind: words(['chat', 'embedding', 'image'], { description: 'The kind of models.' }),
    model: Type.String({ description: 'The form of the model string.' }),
    list: Type.String({ description: 'The endpoint that lists such models.' }),
    providers: Type.Array(Type.String(), { description: 'The configured providers that have such models.' }),
  },
  { title: 'ByModels', description: 'The models that can do a task besides the listed ones.' },
)

const providers = {
  models: Type.Array(TaskModel, { description: 'The providers of the task.' }),
  by_models: nullable(ByModels, 'Which kind of models can do the task, too.'),
}

const SubfeatureSummary = Type.Object(
  {
    name: name('task'),
    fullname,
    description: nullable(Type.String(), 'What the task does.'),
    mode,
    ...providers,
  },
  { title: 'SubfeatureSummary', description: 'A task and its providers.', ...open },
)

export const FeatureInfo = Type.Object(
  {
    name: name('feature'),
    fullname,
    description: nullable(Type.String(), 'What the tasks have in common.'),
    subfeatures: Type.Array(SubfeatureSummary, { description: 'The tasks.' }),
  },
  { title: 'FeatureInfo', description: 'A group of tasks.', ...open },
)

export const FeatureList = Type.Object(
  { features: Type.Array(FeatureInfo, { description: 'All features.' }) },
  { title: 'FeatureList', description: 'All tasks by feature.', ...open },
)
export type FeatureList = Static<typeof FeatureList>

export const TaskInfo = Type.Object(
  {
    feature: name('feature'),
    feature_fullname: fullname,
    subfeature: name('task'),
    subfeature_fullname: fullname,
    description: nullable(Type.String(), 'What the task does.'),
    mode,
    endpoints: freeObject({ description: 'The endpoints that run the task, by `create`, `create_async` and `get`.' }),
    input_schema: freeObject({ description: 'The fields of the input, in the requested format.' }),
    output_schema: freeObject({ description: 'The fields of the output, in the requested format.' }),
    example: freeObject({ description: 'An example: its `input` and its `output`.' }),
    ...providers,
  },
  { title: 'TaskInfo', description: 'A task: its fields, an example, its providers.', ...open },
)
export type TaskInfo = Static<typeof TaskInfo>
