// A page with each part of the screens in each state, light beside dark, which only a sandbox has. Texts are examples.
import { html, render } from './html.js'
import { ofBrowser, speak, t } from './text.js'
import { Chart } from './chart.js'
import { icons } from './icons.js'
import { Facts, Good, Icon, LineState, Menu, Notice, Skeleton, State } from './ui.js'

const nothing = () => {}

/** @param {{ title: string, children?: any }} props */
const Part = ({ title, children }) => html`<section class="part"><h2>${title}</h2>${children}</section>`

/** @param {{ look?: string, icon?: string, off?: boolean, children?: any }} props */
const Button = ({ look = '', icon, off = false, children }) => html`<button type="button" class=${'button ' + look} disabled=${off}>${icon && html`<${Icon} name=${icon} />`}${children}</button>`

/** @param {{ label: string, value?: string, look?: string, hint?: string, error?: string, off?: boolean }} props */
const Field = ({ label, value = '', look = '', hint, error, off = false }) => html`<label class="field">${label}<input class=${'input ' + look} value=${value} disabled=${off} onInput=${nothing} />
  ${hint && html`<span class="hint">${hint}</span>`}${error && html`<span class="error"><${Icon} name="circle-alert" /><span>${error}</span></span>`}</label>`

const states = [['running', 1, 0], ['expired', 0, 0], ['running', 1, 1], ['expired', 0, 1], ['suspended', 1, 0], ['owner_blocked', 1, 0]]
const lines = /** @type {any[]} */ (states.map(([effective, status, isTrial]) => ({ effective, status, isTrial })))
const spans = (/** @type {string} */ look) => html`<div class=${look}>${[7, 30, 90].map((n) => html`<button type="button" aria-pressed=${n === 30}>${n}</button>`)}</div>`
const points = [1n, 3n, 0n, 2n, 6n, 4n, 1n].map((n, i) => ({ key: i, name: `${i + 1}.`, value: n * 10_000n }))
const rows = [['apto302', '', '1,218.5'], ['marcos_sala', 'is-hover', '20'], ['sr.antonio', 'is-picked', '0.5'], ['rafa.jogos', 'is-focus', '7']]

/** @param {{ theme: string }} props */
const All = ({ theme }) => html`<div data-theme=${theme}>
  <${Part} title="Buttons: rest, hover, pressed, focus, waiting, off">
    <div class="rowed">${['', 'is-hover', 'is-press', 'is-focus'].map((look) => html`<${Button} look=${'primary ' + look}>${t('line.extend')}<//>`)}<${Button} look="primary"><span class="spin"></span>${t('form.sending')}<//><${Button} look="primary" off>${t('line.extend')}<//></div>
    <div class="rowed">${['', 'is-hover', 'is-press', 'is-focus'].map((look) => html`<${Button} look=${look}>${t('line.edit')}<//>`)}<${Button} off>${t('line.edit')}<//><${Button} look="only" icon="ellipsis" /></div>
    <div class="rowed"><${Button} look="danger">${t('line.delete')}<//><${Button} look="danger-plain" icon="lock">${t('reseller.block')}…<//><${Button} look="send" icon="message-circle">${t('whatsapp')}<//><${Button} look="ghost" icon="download">CSV<//><${Button} look="link">${t('home.all')}<//></div>
  <//>
  <${Part} title="Fields: rest, focus, error, off"><div class="two-up">
    <${Field} label=${t('username')} value="tia.rosa" hint=${t('field.bad-username')} /><${Field} label=${t('amount')} value="20" look="is-focus" />
    <${Field} label=${t('whatsapp')} value="+55 11 9123" look="is-wrong" error=${t('whatsapp.hint')} /><${Field} label=${t('key.name')} value="bot" off /></div>
  <//>
  <${Part} title="Checkbox, radio, segmented">
    <div class="rowed">${['checkbox', 'radio'].map((type) => [false, true].map((on) => html`<label class="check"><input type=${type} checked=${on} onChange=${nothing} />${t(on ? 'webhook.on' : 'webhook.off')}</label>`))}<label class="check"><input type="checkbox" class="is-some" onChange=${nothing} />${t('select.some')}</label></div>
    <div class="rowed">${spans('seg')}</div>
  <//>
  <${Part} title="States: a shape and a word">
    <div class="rowed">${lines.map((line) => html`<${LineState} line=${line} badge />`)}<${State} tone="warn" icon="clock-alert" badge>${t('line.state.active')}<//></div>
    <div class="rowed">${lines.map((line) => html`<${LineState} line=${line} />`)}<${Good} good>${t('delivery.arrived')}<//><${Good} good=${false}>${t('delivery.failed')}<//></div>
  <//>
  <${Part} title="Filter buttons, chips, tabs">
    <div class="rowed"><button type="button" class="filter">${t('filter.status')}<${Icon} name="chevron-down" /></button><button type="button" class="filter is-open">${t('filter.show')}<${Icon} name="chevron-down" /></button>
      <span class="filter-of"><button type="button" class="filter is-set"><span class="what">${t('filter.status')}:</span> ${t('filter.expired')}</button><button type="button" class="filter-x" aria-label=${t('filter.clear')}><${Icon} name="x" /></button></span>
      <span class="chip">${t('tabs.past')} 3</span><span class="chip is-on">${t('tabs.all')} 155</span></div>
    <nav class="tabs"><a href="#" aria-current="page">${t('tabs.all')} <b>155</b></a><a href="#">${t('tabs.soon')} <b>7</b></a><a href="#" class="is-focus">${t('tabs.past')} <b>3</b></a></nav>
  <//>
  <${Part} title="Table: rest, hover, selected, focus"><table class="table"><thead><tr><th aria-sort="ascending"><button type="button" class="sort">${t('customer')}<${Icon} name="arrow-up" /></button></th><th>${t('filter.status')}</th><th class="num">${t('amount')}</th></tr></thead>
    <tbody>${rows.map(([name, look, amount], i) => html`<tr class=${look}><th scope="row">${i === 3 ? html`rafa.<mark>jo</mark>gos` : name}</th><td><${LineState} line=${lines[i]} /></td><td class="num">${amount}</td></tr>`)}</tbody></table><//>
  <${Part} title="Charts: bars, a balance, nothing yet"><${Chart} bars title=${t('figures.spent')} day=${t('chart.day')} today points=${points} sum=${t('figures.in-days', { days: 7 })} choice=${spans('seg small')} />
    <${Chart} title=${t('chart.balance')} day=${t('chart.day')} today=${false} points=${points} /><${Chart} title=${t('chart.balance')} day=${t('chart.day')} today=${false} points=${null} /><//>
  <${Part} title="Menu, dialog"><div class="two-up"><div class="menu"><p class="menu-head">marina</p><button type="button" class="is-hover"><${Icon} name="shield-check" />${t('nav.sessions')}</button><button type="button"><${Icon} name="keyboard" />${t('keys.title')}<kbd>?</kbd></button><hr /><button type="button"><${Icon} name="log-out" />${t('sign-out')}</button></div>
    <div class="dialog"><h3>${t('line.delete-title', { name: 'tia.rosa' })}</h3><p class="quiet">${t('line.delete-meaning')}</p><${Field} label=${t('line.delete-type', { name: 'tia.rosa' })} /><div class="buttons"><${Button} look="danger" off>${t('line.delete')}<//><${Button}>${t('cancel')}<//></div></div></div><//>
  <${Part} title="Toast, banner, notice">
    <div class="rowed"><span class="toast"><${Icon} name="check" /><span>${t('line.suspend-done', { name: 'tia.rosa' })}</span></span></div><p class="banner"><${Icon} name="wifi-off" />${t('offline')}</p>
    ${['good', 'plain', 'unsure', 'bad'].map((tone) => html`<${Notice} tone=${tone}><p>${t('cost.short', { now: 2, cost: 3 })}</p><//>`)}
  <//>
  <${Part} title="Empty, loading, facts, avatar, logo, key"><div class="two-up"><div class="panel empty"><${Icon} name="tv" /><p>${t('lines.none')}</p><${Button} look="primary" icon="plus">${t('trial.new')}<//></div><${Skeleton} /></div>
    <${Facts} of=${[[t('username'), 'tia.rosa'], [t('whatsapp'), '+55 11 91234-5678']]} />
    <div class="rowed"><span class="avatar">M</span><span class="logo">r</span><kbd class="key">/</kbd><${Menu} label=${t('actions')}><button type="button"><${Icon} name="pencil" />${t('line.edit')}</button><//></div><//>
  <${Part} title="Icons"><div class="rowed">${Object.keys(icons).map((name) => html`<span title=${name}><${Icon} name=${name} /></span>`)}</div><//>
</div>`

speak(ofBrowser()).then(() => {
  document.querySelector('.before')?.remove()
  render(html`<main class="both"><h1 class="hush">Parts</h1><${All} theme="light" /><${All} theme="dark" /></main>`, document.body)
})
