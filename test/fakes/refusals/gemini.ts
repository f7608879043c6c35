import { type Fields, fieldsIn, hasOthers, listIn, type Rule } from './rule.ts'

const SKIP = 'skip_thought_signature_validator'
const PART_MEMBERS = 'text thought thoughtSignature functionCall functionResponse inlineData fileData'
const SIGNATURES = 'https://ai.google.dev/gemini-api/docs/thought-signatures'

/** What Google refuses in a conversation. AI Studio takes a content without a role for the user's. */
export const GEMINI_RULES: readonly Rule[] = [
  {
    rule: 'every content has parts',
    source: 'https://github.com/QuantumNous/new-api/pull/1260',
    broken: (body) => contentsOf(body).length === 0 || contentsOf(body).some(({ parts }) => parts.length === 0),
  },
  {
    rule: 'a role is user or model',
    source: 'https://github.com/lijunzh/koda/issues/312',
    broken: (body) => contentsOf(body).some(({ role }) => role !== 'user' && role !== 'model'),
  },
  {
    rule: 'texts are not empty',
    source: 'https://github.com/Portkey-AI/gateway/issues/462',
    broken: (body) => partsOf(body).some(({ text, thoughtSignature }) => text === '' && !thoughtSignature),
  },
  {
    rule: 'parts have no members of other formats',
    source: 'https://ai.google.dev/api/caching#Part',
    broken: (body) =>
      partsOf(body).some(
        (part) =>
          hasOthers(part, PART_MEMBERS) ||
          hasOthers(fieldsIn(part.functionCall), 'id name args') ||
          hasOthers(fieldsIn(part.functionResponse), 'id name response parts'),
      ),
  },
  {
    rule: 'a call follows a turn of the user or results of functions',
    source: 'https://github.com/google-gemini/gemini-cli/issues/11814',
    broken: (body) =>
      contentsOf(body).some((content, at, all) => count(content, 'functionCall') > 0 && all[at - 1]?.role !== 'user'),
  },
  {
    rule: 'there are as many results as calls, right after them',
    source: 'https://github.com/google-gemini/gemini-cli/issues/4217',
    broken: (body) => {
      const all = contentsOf(body)
      return [...all, undefined].some(
        (content, at) => count(all[at - 1], 'functionCall') !== count(content, 'functionResponse'),
      )
    },
  },
  {
    rule: 'a signature is one of Google, or the value that says that it is not known',
    source: SIGNATURES,
    broken: (body, { signature }) =>
      partsOf(body).some(
        ({ thoughtSignature }) =>
          thoughtSignature !== undefined && thoughtSignature !== signature && thoughtSignature !== SKIP,
      ),
  },
  {
    rule: 'the first call of each step of the current turn is signed',
    source: SIGNATURES,
    broken: (body, { byLevel }) => {
      const all = contentsOf(body)
      const begin = all.findLastIndex(({ role, parts }) => role === 'user' && parts.some(({ text }) => text))
      return (
        byLevel === true &&
        all
          .slice(begin + 1)
          .some(
            ({ parts }) =>
              parts.find(({ functionCall }) => functionCall)?.thoughtSignature === undefined &&
              parts.some(({ functionCall }) => functionCall),
          )
      )
    },
  },
  {
    rule: 'the user, or a function, has the last word',
    source: 'https://github.com/crewAIInc/crewAI/pull/6973',
    broken: (body) => contentsOf(body).at(-1)?.role !== 'user',
  },
  {
    rule: 'models without levels answer in JSON only if there are no functions',
    source: 'https://ai.google.dev/gemini-api/docs/structured-output',
    broken: (body, { byLevel }) =>
      !byLevel &&
      listIn(body.tools).length > 0 &&
      fieldsIn(body.generationConfig).responseMimeType === 'application/json',
  },
]

/** What Vertex AI refuses beyond that. */
export const VERTEX_RULES: readonly Rule[] = [
  ...GEMINI_RULES,
  {
    rule: 'every content has a role',
    source: 'https://github.com/BerriAI/litellm/issues/32731',
    broken: ({ contents }) => listIn(contents).some(({ role }) => role === undefined),
  },
]

type Content = { role: unknown; parts: Fields[] }

function contentsOf({ contents }: Fields): Content[] {
  return listIn(contents).map(({ role = 'user', parts }) => ({ role, parts: listIn(parts) }))
}

function partsOf(body: Fields): Fields[] {
  return contentsOf(body).flatMap(({ parts }) => parts)
}

function count(content: Content | undefined, member: string): number {
  return (content?.parts ?? []).filter((part) => part[member] !== undefined).length
}
