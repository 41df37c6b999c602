// Filters of a list: a button for each, which opens its choices; on a phone one button that opens all of them.
import { html } from './html.js'
import { t } from './text.js'
import { Icon, Menu } from './ui.js'

/**
 * @typedef {{ name: string, label: string, value: string, of: [string, string][], choose: (value: string) => void, always?: boolean }} Choice
 *   always: it has a value in any case, such as the order of a list
 */

/** The choices of a filter. @param {Choice} props */
const Choices = ({ name, label, value, of, choose, always }) => html`<p class="menu-head">${label}</p>
  ${[...always ? [] : [['', t('filter.any')]], ...of].map(([one, text]) => html`<button key=${one} type="button" aria-pressed=${value === one} data-filter=${name} data-value=${one} onClick=${() => choose(one)}>
    <${Icon} name=${value === one ? 'check' : ''} />${text}</button>`)}`

/** @param {Choice} props */
export function Filter(props) {
  const { name, label, value, of, choose } = props, set = of.find(([one]) => one === value)?.[1]
  return html`<span class="filter-of" data-of=${name}>
    <${Menu} label=${set ? `${label}: ${set}` : label} look=${set ? 'filter is-set' : 'filter'} face=${html`${set ? html`<span class="what">${label}:</span> ${set}` : label}${!set && html`<${Icon} name="chevron-down" />`}`}><${Choices} ...${props} /><//>
    ${set && html`<button type="button" class="filter-x" aria-label=${t('filter.remove', { filter: set })} onClick=${() => choose('')}><${Icon} name="x" /></button>`}
  </span>`
}

/** All of them behind one button, and what else can be done with the list. @param {{ of: Choice[], children?: any }} props */
export const Filters = ({ of, children }) => html`<span class="filters-all"><${Menu} label=${t('filter.more')} look="chip" face=${html`<${Icon} name="list-filter" />${t('filter.more')}`}>
  ${of.map((one) => html`<${Choices} key=${one.name} ...${one} />`)}${children}<//></span>`
