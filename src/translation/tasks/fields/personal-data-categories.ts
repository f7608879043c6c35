import { words } from '../../../base/schema/fields.ts'

// The spelling of `BuisnessNumber` is the one that clients know.
const SUBCATEGORIES = {
  PersonalInformation: ['Name', 'Age', 'Email', 'Phone', 'PersonType', 'Gender'],
  FinancialInformation: [
    'CreditCard',
    'CardExpiry',
    'BankAccountNumber',
    'BankRoutingNumber',
    'SwiftCode',
    'TaxIdentificationNumber',
  ],
  IdentificationNumbers: [
    'SocialSecurityNumber',
    'NationalIdentificationNumber',
    'NationalHealthService',
    'ResidentRegistrationNumber',
    'DriverLicenseNumber',
    'PassportNumber',
  ],
  Miscellaneous: [
    'URL',
    'IP',
    'MAC',
    'VehicleIdentificationNumber',
    'LicensePlate',
    'VoterNumber',
    'AWSKeys',
    'AzureKeys',
    'Password',
  ],
  OrganizationInformation: ['CompanyName', 'CompanyNumber', 'BuisnessNumber'],
  DateAndTime: ['Date', 'Time', 'DateTime', 'Duration'],
  LocationInformation: ['Address', 'Location'],
  Other: ['Other', 'Anonymized', 'Nerd', 'Wsd', 'Unknown'],
} as const

type PersonalDataCategory = keyof typeof SUBCATEGORIES
export type PersonalDataSubcategory = (typeof SUBCATEGORIES)[PersonalDataCategory][number]

const CATEGORIES = Object.keys(SUBCATEGORIES) as PersonalDataCategory[]

export const PersonalDataCategoryField = words(CATEGORIES, { description: 'What kind of data it is.' })
export const PersonalDataSubcategoryField = words(Object.values(SUBCATEGORIES).flat(), {
  description: 'The exact kind.',
})

export function personalDataCategoryOf(subcategory: PersonalDataSubcategory): PersonalDataCategory {
  return CATEGORIES.find((category) => SUBCATEGORIES[category].some((one) => one === subcategory))!
}

/** The text with every entity replaced by asterisks of the same length. */
export function masked(text: string, entities: readonly { offset: number; length: number }[]): string {
  let masked = ''
  let end = 0
  for (const { offset, length } of entities.toSorted((one, other) => one.offset - other.offset)) {
    const from = Math.max(end, offset)
    const until = Math.max(end, Math.min(offset + length, text.length))
    masked += text.slice(end, from) + '*'.repeat(Math.max(0, until - from))
    end = until
  }
  return masked + text.slice(end)
}
