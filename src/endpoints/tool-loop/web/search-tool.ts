import type { Call } from '../../../calls/call.ts'
import type { CallServices } from '../../../calls/services/call-services.ts'
import { isFailure } from '../../../calls/attempts/failures.ts'
import type { SearchSettings } from '../../../platform/config/search-settings.ts'
import { Problem } from '../../../contract/problems.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { WebWish } from '../../../translation/formats/gateway/wishes.ts'
import { doTask } from '../../universal/do-task.ts'
import { prepareTask } from '../../universal/prepare-task.ts'
import type { GatewayTool, Source, ToolOutcome } from '../gateway-tool.ts'
import { type Domains, isWithin } from './domains.ts'

const MAX_RESULTS = 8
const MAX_QUERY_CHARS = 400
const MAX_PASSAGE_CHARS = 2_000

/** How the engines are told about domains. What they find is checked all the same. */
const DOMAIN_PARAMS: Readonly<Record<string, readonly [allowed: string, blocked: string]>> = {
  tavily: ['include_domains', 'exclude_domains'],
  linkup: ['includeDomains', 'excludeDomains'],
}

/** The web search of the gateway, for models that have none of their own. */
export function searchTool(wish: WebWish, settings: SearchSettings, services: CallServices): GatewayTool {
  const domains = { allowed: wish.allowedDomains, blocked: wish.blockedDomains }
  const engines = [settings.engine, ...(settings.fallback ? [settings.fallback] : [])]
  return {
    kind: 'search',
    functionName: 'gatehouse_web_search',
    name: 'web_search',
    server: '',
    description: `Search the web. Cite what you use as Markdown links to the addresses of the results.${placeOf(wish)}`,
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to search for.' } },
      required: ['query'],
    },
    needsApproval: false,
    maxUses: wish.maxUses,
    run: async (input, call) => {
      const query = textOf(input.query).slice(0, MAX_QUERY_CHARS)
      if (query.trim() === '') return { text: 'The query is empty.', isError: true }
      return await searchWith(engines, { query, domains }, call, services)
    },
  }
}

function placeOf({ location = {} }: WebWish): string {
  const place = ['city', 'region', 'country', 'timezone'].map((name) => textOf(location[name])).filter(Boolean)
  return place.length > 0 ? ` The user is here: ${place.join(', ').slice(0, 300)}.` : ''
}

type Search = { query: string; domains: Domains }

/** The second engine is asked if the first one fails. Each is asked in its own words. */
async function searchWith(
  [engine = '', ...others]: readonly string[],
  search: Search,
  call: Call,
  services: CallServices,
): Promise<ToolOutcome> {
  try {
    return await searchOnce(engine, search, call, services)
  } catch (error) {
    if (others.length === 0 || call.signal.aborted || !(error instanceof Problem || isFailure(error))) throw error
    return await searchWith(others, search, call, services)
  }
}

async function searchOnce(engine: string, { query, domains }: Search, call: Call, services: CallServices) {
  const provider_params = paramsOf(engine, domains)
  const request = { model: `web/search/${engine}`, input: { query, max_results: MAX_RESULTS }, provider_params }
  const asOperator = { ...call, caller: ofOperator(call) }
  const prepared = await prepareTask(request, asOperator, services)
  const { result } = await doTask(prepared, asOperator, services)
  return outcomeOf(recordOf(result.output), domains)
}

/** The operator has chosen the engine for all chats, so no scope of a key is needed for it. The data policy holds for it too. */
function ofOperator({ caller }: Call): Call['caller'] {
  return { ...caller, scopes: null, policy: caller.policy && { ...caller.policy, models: [], endpoints: null } }
}

function paramsOf(engine: string, { allowed, blocked }: Domains): Fields | undefined {
  const names = DOMAIN_PARAMS[engine]
  if (!names || allowed.length + blocked.length === 0) return undefined
  return { ...(allowed.length > 0 && { [names[0]]: allowed }), ...(blocked.length > 0 && { [names[1]]: blocked }) }
}

function outcomeOf({ results }: Fields, domains: Domains): ToolOutcome {
  const found = recordsIn(results)
    .filter(({ url }) => isWithin(textOf(url), domains))
    .slice(0, MAX_RESULTS)
  if (found.length === 0) return { text: 'Nothing was found.', sources: [] }
  const sources = found.map(({ url, title }): Source => ({ url: textOf(url), title: textOf(title) || textOf(url) }))
  const texts = found.map(({ content }, at) => {
    const { url, title } = sources[at]!
    return `${at + 1}. ${title}\n${url}\n${textOf(content).slice(0, MAX_PASSAGE_CHARS)}`
  })
  return { text: texts.join('\n\n'), sources }
}
