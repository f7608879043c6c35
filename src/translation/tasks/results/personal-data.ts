import { masked, type PersonalDataSubcategory, personalDataCategoryOf } from '../fields/personal-data-categories.ts'
import { score } from '../fields/score.ts'

/** Labels of the clouds; the first match wins. Many have a name per country. */
const LABELS: readonly [RegExp, PersonalDataSubcategory][] = [
  [/passport/, 'PassportNumber'],
  [/driver/, 'DriverLicenseNumber'],
  [/nationalhealthservice|healthnumber|healthcare|nhs|medicare/, 'NationalHealthService'],
  [/socialsecurity|socialinsurance|nationalinsurance|^ssn/, 'SocialSecurityNumber'],
  [/residentregistration/, 'ResidentRegistrationNumber'],
  [/voter/, 'VoterNumber'],
  [/cvv|^pin$|password|username|credential/, 'Password'],
  [/expir/, 'CardExpiry'],
  [/credit|debit/, 'CreditCard'],
  [/swift/, 'SwiftCode'],
  [/routing|^aba/, 'BankRoutingNumber'],
  [/iban|bankaccount|bankingaccount|internationalbank/, 'BankAccountNumber'],
  [/vehicleidentification/, 'VehicleIdentificationNumber'],
  [/tax|permanentaccount|^vat|vatnumber/, 'TaxIdentificationNumber'],
  [/aadhaar|nrega|identitycard|nationalid|identification(number)?$|idnumber/, 'NationalIdentificationNumber'],
  [/awsaccess|awssecret|awscredentials/, 'AWSKeys'],
  [/azure/, 'AzureKeys'],
  [/email/, 'Email'],
  [/phone/, 'Phone'],
  [/licenseplate/, 'LicensePlate'],
  [/^mac/, 'MAC'],
  [/^ip/, 'IP'],
  [/^url|domain/, 'URL'],
  [/datetime/, 'DateTime'],
  [/^date/, 'Date'],
  [/^time/, 'Time'],
  [/duration/, 'Duration'],
  [/^age$/, 'Age'],
  [/gender/, 'Gender'],
  [/persontype/, 'PersonType'],
  [/organization|company/, 'CompanyName'],
  [/address/, 'Address'],
  [/location|city|country/, 'Location'],
  [/name$|^person$/, 'Name'],
]

type Found = { offset: number; length: number; label: string; confidence: number | null }

/** The output of an anonymization: the entities, and the text without them. */
export function anonymized(text: string, found: readonly Found[]) {
  const subcategories = new Map<string, PersonalDataSubcategory>()
  const entities = found
    .map((one) => toEntity(text, one, subcategories))
    .toSorted((one, other) => one.offset - other.offset)
  return { result: masked(text, entities), entities }
}

/** A text has few labels and many entities, and finding what a label means takes many patterns. */
function toEntity(
  text: string,
  { offset, length, label, confidence }: Found,
  subcategories: Map<string, PersonalDataSubcategory>,
) {
  const subcategory = subcategories.get(label) ?? subcategoryOf(label)
  subcategories.set(label, subcategory)
  return {
    offset,
    length,
    category: personalDataCategoryOf(subcategory),
    subcategory,
    original_label: label,
    content: text.slice(offset, offset + length),
    confidence_score: confidence === null ? null : score(confidence),
  }
}

function subcategoryOf(label: string): PersonalDataSubcategory {
  const plain = label.toLowerCase().replace(/[^a-z]/g, '')
  return LABELS.find(([pattern]) => pattern.test(plain))?.[1] ?? 'Other'
}
