// Written by `npm run docs`, from the schemas of the checks.

import type { CheckName } from '../../../src/contract/admin/guardrails.ts'
import type { DescribedField } from '../../parts/described-input.ts'

type DescribedCheck = { description: string; fields: readonly DescribedField[] }

/** What a form asks for each check. */
export const CHECK_FIELDS: Readonly<Record<CheckName, DescribedCheck>> = {
  patterns: {
    description: "Words and patterns of the operator. No match is longer than 2,000 characters.",
    fields: [
      {"name":"words","type":"array","required":false,"description":"Words and phrases. They match whole words, not parts of longer words.","items":{"type":"string"}},
      {"name":"patterns","type":"array","required":false,"description":"A subset of regular expressions that is matched in linear time: characters, `.`, classes such as `[a-z]` and `[^,]`, `\\d \\w \\s` and their opposites, `\\b`, `^` and `$` (start and end of the text), groups, `|`, and the repeats `* + ? {2} {2,} {2,5}`. No backreferences, no looking ahead or behind, no named groups.","items":{"type":"string"}},
      {"name":"ignore_case","type":"bool","required":false,"description":"Whether to ignore upper and lower case.","usual":"true"},
    ],
  },
  secrets: {
    description: "Secrets: tokens of 33 formats, private keys, passwords in addresses and assignments, and words of the operator. A token in a format that has random characters counts if it has enough of them.",
    fields: [
      {"name":"assignments","type":"bool","required":false,"description":"Whether to look for values without a known format behind words such as `password:` and `api_key=`.","usual":"true"},
      {"name":"words","type":"array","required":false,"description":"Words and phrases. They match whole words, not parts of longer words.","items":{"type":"string"}},
    ],
  },
  personal_data: {
    description: "Personal data that has a recognisable form: e-mail addresses, phone numbers, cards, accounts, national ids and addresses in networks, with their check digits.",
    fields: [
      {"name":"kinds","type":"array","required":false,"description":"What to look for. All if absent.","items":{"type":"enum","enum":["email","iban","card","national_id","ip","phone"]}},
      {"name":"restore","type":"bool","required":false,"description":"Whether the caller of a chat gets what was redacted in its request back where the answer has the placeholder.","usual":"false"},
    ],
  },
  anonymization: {
    description: "Finds personal data, also names and addresses, with a provider of the task `text/anonymization`; `local` runs inside of the gateway, and finds names mainly in English texts. The gateway puts placeholders in their place.",
    fields: [
      {"name":"provider","type":"string","required":true,"description":"A provider of this task, as `provider` or `provider/model`, or a chat model if the task supports it.","isLong":false},
      {"name":"fallbacks","type":"array","required":false,"description":"Providers to try, in this order, if one fails.","items":{"type":"string"}},
      {"name":"kinds","type":"array","required":false,"description":"The categories and subcategories that count, in the words of `text/anonymization`, such as `Name` and `Address`. The default is all.","items":{"type":"string"}},
      {"name":"score","type":"float","required":false,"description":"How sure the provider has to be, if it says how sure it is.","usual":"0.5"},
      {"name":"language","type":"string","required":false,"description":"The language of the texts, if the provider has to know it.","isLong":false},
    ],
  },
  presidio: {
    description: "Finds personal data with the analyzer of Microsoft Presidio, in the languages and with the recognizers that the server has. The gateway puts placeholders in their place itself.",
    fields: [
      {"name":"endpoint","type":"string","required":true,"description":"The address of the analyzer, such as `http://presidio-analyzer:3000`.","isLong":false},
      {"name":"credential","type":"string","required":false,"description":"A bearer token, if a proxy before the analyzer wants one, as `env:NAME`: the variable of the gateway's environment that has it.","isLong":false},
      {"name":"language","type":"string","required":false,"description":"The language of the texts.","isLong":false,"usual":"en"},
      {"name":"entities","type":"array","required":false,"description":"What to look for, such as `PERSON` and `US_SSN`. The default is everything the server knows.","items":{"type":"string"}},
      {"name":"score","type":"float","required":false,"description":"How sure the analyzer has to be.","usual":"0.5"},
      {"name":"allow","type":"array","required":false,"description":"Words that are not personal data here, exactly as they are written.","items":{"type":"string"}},
    ],
  },
  bedrock: {
    description: "Applies a guardrail of Amazon Bedrock, for models of any provider. Personal data, patterns and words that it blocks or masks can be redacted; topics and contents that it denies have to be blocked. What it is set to detect only is ignored.",
    fields: [
      {"name":"guardrail","type":"string","required":true,"description":"The id or the ARN of the guardrail.","isLong":true},
      {"name":"version","type":"string","required":false,"description":"Its version, a number or `DRAFT`.","isLong":false,"usual":"DRAFT"},
      {"name":"credential","type":"string","required":false,"description":"The provider whose credential and region are used, as `provider:<id>`.","isLong":false,"usual":"provider:amazon"},
    ],
  },
  model_armor: {
    description: "Applies a template of Google Cloud Model Armor. Sensitive data and addresses of malicious pages can be redacted; anything else that is found has to be blocked.",
    fields: [
      {"name":"template","type":"string","required":true,"description":"The template, as `projects/<id>/locations/<location>/templates/<id>`.","isLong":false},
      {"name":"endpoint","type":"string","required":false,"description":"The address of the service. The default is that of the location of the template.","isLong":false},
      {"name":"credential","type":"string","required":false,"description":"The provider whose Google credential is used, as `provider:<id>`.","isLong":false,"usual":"provider:vertex"},
    ],
  },
  lakera: {
    description: "Asks Lakera Guard for attacks on the model, personal data, harmful content and unknown links, as a policy of the project there says. Personal data can be redacted; anything else that is found has to be blocked.",
    fields: [
      {"name":"credential","type":"string","required":true,"description":"An API key of Lakera, as `env:NAME`: the variable of the gateway's environment that has it.","isLong":false},
      {"name":"endpoint","type":"string","required":false,"description":"The address of the service, for a region or a server of your own.","isLong":false,"usual":"https://api.lakera.ai"},
      {"name":"project_id","type":"string","required":false,"description":"The project whose policy applies. The default is that of the account.","isLong":false},
    ],
  },
  external: {
    description: "Asks a service of your own, or one that speaks the generic guardrail contract of LiteLLM, as several vendors do.",
    fields: [
      {"name":"url","type":"string","required":true,"description":"The address that requests are sent to. With `litellm`, the path of the contract is added if it is not there.","isLong":false},
      {"name":"contract","type":"enum","required":false,"description":"What is sent and what is understood.","enum":["gatehouse","litellm"],"usual":"gatehouse"},
      {"name":"credential","type":"string","required":false,"description":"The secret that requests of our own contract are signed with, or that is the header `x-api-key` with `litellm`, as `env:NAME`: the variable of the gateway's environment that has it.","isLong":false},
      {"name":"params","type":"dict","required":false,"description":"Passed on to the service as it is."},
    ],
  },
  moderation: {
    description: "Finds insults, hate, violence and other unwanted content with a provider of the task `text/moderation`; `local` runs inside of the gateway.",
    fields: [
      {"name":"provider","type":"string","required":true,"description":"A provider of this task, as `provider` or `provider/model`, or a chat model if the task supports it.","isLong":false},
      {"name":"fallbacks","type":"array","required":false,"description":"Providers to try, in this order, if one fails.","items":{"type":"string"}},
      {"name":"threshold","type":"float","required":false,"description":"The score from which a finding counts.","usual":"0.5"},
      {"name":"categories","type":"array","required":false,"description":"The categories, subcategories or labels that count, in the words of `text/moderation`. The default is all.","items":{"type":"string"}},
      {"name":"language","type":"string","required":false,"description":"The language of the texts, if the provider has to know it.","isLong":false},
    ],
  },
  azure_content_safety: {
    description: "Asks Azure AI Content Safety for attacks on the model (Prompt Shields) or for harmful content. It only judges.",
    fields: [
      {"name":"endpoint","type":"string","required":true,"description":"The address of the resource, such as `https://name.cognitiveservices.azure.com`.","isLong":false},
      {"name":"credential","type":"string","required":true,"description":"A key of the resource, as `env:NAME`: the variable of the gateway's environment that has it.","isLong":false},
      {"name":"api","type":"enum","required":true,"description":"`shield_prompt` finds attacks on the model: in `input` those of the user, elsewhere those that are hidden in documents. `analyze` finds harmful content.","enum":["shield_prompt","analyze"]},
      {"name":"severity","type":"int","required":false,"description":"For `analyze`: the severity, of 0 to 7, from which content counts.","usual":"4"},
      {"name":"severities","type":"object","required":false,"description":"For `analyze`: other severities for single categories.","fields":[{"name":"Hate","type":"int","required":false,"description":"Of this category."},{"name":"SelfHarm","type":"int","required":false,"description":"Of this category."},{"name":"Sexual","type":"int","required":false,"description":"Of this category."},{"name":"Violence","type":"int","required":false,"description":"Of this category."}]},
      {"name":"categories","type":"array","required":false,"description":"For `analyze`: the categories to look for. The default is all.","items":{"type":"enum","enum":["Hate","SelfHarm","Sexual","Violence"]}},
      {"name":"blocklists","type":"array","required":false,"description":"For `analyze`: blocklists of the resource.","items":{"type":"string"}},
    ],
  },
  prompt_guard: {
    description: "Asks a Prompt Guard model, on any server that the gateway has as a provider, whether a text is an attack on a model. It is trained for the obvious attacks, and misses others.",
    fields: [
      {"name":"model","type":"string","required":true,"description":"The model, as `provider/model` or an alias, such as `groq/meta-llama/llama-prompt-guard-2-86m`.","isLong":false},
      {"name":"threshold","type":"float","required":false,"description":"The probability from which a text counts as an attack.","usual":"0.5"},
    ],
  },
  llama_guard: {
    description: "Asks a Llama Guard model, on any server that the gateway has as a provider. It judges requests and answers.",
    fields: [
      {"name":"model","type":"string","required":true,"description":"The model, as `provider/model` or an alias, such as `groq/meta-llama/llama-guard-4-12b`.","isLong":false},
      {"name":"hazards","type":"array","required":false,"description":"The hazards that count: `S1` violent crimes, `S2` other crimes, `S3` sex crimes, `S4` exploitation of children, `S5` defamation, `S6` specialized advice, `S7` privacy, `S8` intellectual property, `S9` weapons of mass destruction, `S10` hate, `S11` suicide and self-harm, `S12` sexual content, `S13` elections, `S14` abuse of code interpreters. The default is all.","items":{"type":"enum","enum":["S1","S2","S3","S4","S5","S6","S7","S8","S9","S10","S11","S12","S13","S14"]}},
    ],
  },
  injection: {
    description: "Lets a chat model decide whether a text tries to take over the model (prompt injection, jailbreaks). No list of patterns is used, because such lists miss most attacks. A model can be deceived too: this makes attacks harder and does not exclude them. The checks `prompt_guard`, `lakera` and `azure_content_safety` use models that were trained for this.",
    fields: [
      {"name":"model","type":"string","required":true,"description":"The chat model that judges, as `provider/model` or an alias.","isLong":false},
      {"name":"max_cost","type":"float","required":false,"description":"What one question may cost at most, in USD. One that can cost more counts as a failure of the check. The default is no limit of its own."},
      {"name":"max_tokens","type":"int","required":false,"description":"How many tokens the model may write. Models that reason first need more.","usual":"1000"},
    ],
  },
  judge: {
    description: "Lets a chat model decide by rules in your own words. Its requests are parts of the call that it judges, which pays for them.",
    fields: [
      {"name":"model","type":"string","required":true,"description":"The chat model that judges, as `provider/model` or an alias.","isLong":false},
      {"name":"max_cost","type":"float","required":false,"description":"What one question may cost at most, in USD. One that can cost more counts as a failure of the check. The default is no limit of its own."},
      {"name":"max_tokens","type":"int","required":false,"description":"How many tokens the model may write. Models that reason first need more.","usual":"1000"},
      {"name":"instructions","type":"string","required":true,"description":"The rules, in any language: what is not allowed, and what is.","isLong":true},
      {"name":"reasons","type":"array","required":false,"description":"The codes that the model may give as a reason, such as `legal_advice`. They are shown in the metadata of answers.","items":{"type":"string"}},
    ],
  },
}
