import type { Notes } from '../notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'

// Anthropic's models know some tools by a type: the client runs them, and their schemas are published. For every other model
// they are functions with that schema.

type Schema = { description: string; properties: Fields; required: readonly string[] }

const TEXT = { type: 'string' }
const LINES = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 }
const POINT = { ...LINES, description: 'x and y, in pixels from the top left.' }

const EDITS: Fields = {
  path: { ...TEXT, description: 'The absolute path of the file or folder.' },
  view_range: { ...LINES, description: 'For view: the first and the last line, from 1; -1 is the end of the file.' },
  file_text: { ...TEXT, description: 'For create: the content of the new file.' },
  old_str: { ...TEXT, description: 'For str_replace: the text to replace. It has to occur exactly once.' },
  new_str: { ...TEXT, description: 'For str_replace: the text that replaces it.' },
  insert_line: { type: 'integer', description: 'For insert: the line after which to insert; 0 is the beginning.' },
}

const ACTIONS = [
  ...['key', 'type', 'mouse_move', 'left_click', 'left_click_drag', 'right_click', 'middle_click', 'double_click'],
  ...['screenshot', 'cursor_position'],
]
const NEWER_ACTIONS = [...['left_mouse_down', 'left_mouse_up', 'scroll', 'hold_key', 'wait', 'triple_click']]

/** By the name of the tool; the argument is the day of its version. */
const SCHEMAS: Readonly<Record<string, (day: number, tool: Fields) => Schema>> = {
  bash: () => ({
    description: 'Run a command in a bash shell that keeps its state.',
    properties: {
      command: { ...TEXT, description: 'The command to run. Required unless the shell is restarted.' },
      restart: { type: 'boolean', description: 'Restart the shell.' },
    },
    required: [],
  }),
  text_editor: (day) => ({
    description: 'View, create and edit text files.',
    properties: {
      command: words(['view', 'create', 'str_replace', 'insert', ...(day < 20250429 ? ['undo_edit'] : [])]),
      ...EDITS,
      ...(day < 20250728 ? {} : { insert_text: { ...TEXT, description: 'For insert: the text to insert.' } }),
    },
    required: ['command', 'path'],
  }),
  memory: () => ({
    description: 'Keep notes in files below /memories, and read them in later conversations.',
    properties: {
      command: words(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
      ...EDITS,
      insert_text: { ...TEXT, description: 'For insert: the text to insert.' },
      old_path: { ...TEXT, description: 'For rename: the path so far.' },
      new_path: { ...TEXT, description: 'For rename: the new path.' },
    },
    required: ['command'],
  }),
  computer: (day, { display_width_px: width, display_height_px: height }) => ({
    description: `Use the mouse and the keyboard of a computer, and take screenshots. Its screen has ${width} × ${height} pixels.`,
    properties: {
      action: words([...ACTIONS, ...(day < 20250124 ? [] : NEWER_ACTIONS), ...(day < 20251124 ? [] : ['zoom'])]),
      coordinate: POINT,
      start_coordinate: POINT,
      text: { ...TEXT, description: 'The text to type, or the keys to press.' },
      scroll_direction: words(['up', 'down', 'left', 'right']),
      scroll_amount: { type: 'integer', description: 'How many clicks of the wheel.' },
      duration: { type: 'number', description: 'For hold_key and wait: the seconds.' },
      ...(day < 20251124 ? {} : { region: { type: 'array', items: { type: 'integer' }, description: 'For zoom.' } }),
    },
    required: ['action'],
  }),
}

function words(values: readonly string[]): Fields {
  return { ...TEXT, enum: values }
}

/** The declaration of a function for a typed tool that the client runs; undefined for other tools. */
export function clientFunction(tool: Fields, notes: Notes): Fields | undefined {
  const [, kind = '', day] = /^(\w+)_(\d{8})$/.exec(textOf(tool.type)) ?? []
  if (!Object.hasOwn(SCHEMAS, kind)) return undefined
  notes.translated(`tools.${tool.type}`, 'this provider has functions only: it became one with the published schema')
  const { description, properties, required } = SCHEMAS[kind]!(Number(day), tool)
  return { name: tool.name ?? kind, description, parameters: { type: 'object', properties, required } }
}

/** A tool that Anthropic runs itself, or whose schema is not published: `code_execution_20250825`, `mcp_toolset`, … */
export function isAnthropicTool({ type }: Fields): boolean {
  return /_\d{8}$|^(mcp_toolset|tool_search_tool_\w+)$/.test(textOf(type))
}
