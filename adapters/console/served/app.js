import{$ as Fe,$a as Zt,$c as Gs,A as X,Aa as A,B as H,Bc as Ds,C as Te,Ca as Nt,Cb as ms,D as x,Da as de,Db as us,Dc as he,E as Ot,Ea as Re,Eb as ds,Ec as As,F as ve,Fb as $s,G as Y,Ga as Bt,Gb as ps,Gc as Ns,H as t,Ha as Ht,Hb as fs,Ia as Ut,Ib as hs,Ic as Bs,J as le,Ja as Ee,Jb as bs,Jc as Ae,K as k,Ka as Wt,Kb as gs,Kc as Hs,L as ce,La as $e,Lb as ys,Lc as rt,M as me,Ma as pe,Mb as ws,Mc as qe,N as tt,Na as ot,Nb as ks,O as _t,Oa as zt,Ob as vs,P as Tt,Pa as K,Pb as at,Pc as be,Q as Ft,Qa as Kt,Qb as xs,R as Rt,Ra as Le,Rb as Cs,Rc as Us,S as st,Sa as Pe,Sb as je,Sc as Ws,T as f,Ta as Qt,Tb as De,Tc as O,U as I,Ua as Jt,Ub as Ss,Uc as it,V as Z,Va as Vt,Vb as qs,Vc as Ne,Wa as Gt,Wb as Os,Wc as zs,X as W,Xa as Xt,Xc as Ks,Y as Et,Ya as J,Yb as _s,Yc as Qs,Za as se,Zc as Js,_ as xe,_a as Yt,_c as Vs,a as kt,aa as Ce,ab as es,ac as Ts,ad as lt,b as vt,bb as ts,bc as Fs,bd as Xs,c as b,cb as N,cd as Be,d as R,da as E,db as ss,dd as Ys,ea as Lt,ed as Zs,f as M,fa as ee,fb as fe,fd as ct,g as xt,gd as mt,ha as Q,hc as Rs,i as n,ia as D,ib as ns,ic as Es,id as en,j as ye,jd as tn,k as oe,ka as Pt,kb as Me,kd as He,l as ae,la as Mt,lb as os,lc as Ls,m as we,ma as z,mb as Ie,n as re,na as nt,nb as as,o as ke,oa as p,ob as rs,pa as F,pb as is,pc as Ps,qa as j,ra as It,s as q,t as ie,ta as P,u as Ct,ua as te,v as B,va as jt,vb as ls,vc as Ms,w as L,wa as ue,wc as Is,x as _e,xa as Dt,y as St,ya as Se,yb as cs,z as qt,za as At,zc as js}from"./chunk.js";var Ue=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",We=(e,s)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(s);function sn({whatsapp:e,telegram:s},o){let a=Me(e||null,""),r=a?"":Ue(s||null);return r?We(r,o):Ie(a,o)}var nn=[7,30,90];function on(){let[e,s]=b(30),o=te(f("lines:read")?"/reports/summary":null,{days:2*Math.max(e,30),tree:I.haveBelow()?k().id:void 0}),a=M(o.value);return a.current=o.value||a.current,{...o,value:a.current,span:e,choose:s}}var Un=["extensions","activations","trials"],Wn=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function an({of:{value:e,problem:s,reload:o}}){let a=e?.lines,r=e&&Pe(e.days.slice(-1)),i=e&&Pe(Jt(e.days)),l=(c,m,u)=>n`<div class="tile" data-figure=${c}>
    <dt>${t("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${u===null?" ":t("figures.this-month",{amount:u})}</dd></div>`;return n`<section class="panel numbers"><h2>${t("figures")}</h2>
    ${s&&n`<${P} problem=${s} retry=${o} />`}
    <dl class="tiles">
      ${Un.map(c=>l(c,r&&E(r[c]),i&&E(i[c])))}
      ${l("spent",r&&ee(r.spent),i&&ee(i.spent))}
    </dl>
    <ul class="tiles">${Wn.map(([c,m])=>n`<li key=${c}><${x} class="tile" to=${m} data-count=${c}>
      <span class="figure">${a?E(a[c])+(a.capped?"+":""):" "}</span><span>${t(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function rn({of:{value:e,span:s,choose:o}}){let a=e&&e.days.length>=2*s?e.days.slice(-2*s):null,r=a&&a.slice(s),[i,l]=[r,a&&a.slice(0,s)].map(m=>m&&Pe(m).spent),c=n`<div class="seg small" role="group" aria-label=${t("statement.period")}>
    ${nn.map(m=>n`<button key=${m} type="button" aria-pressed=${m===s} onClick=${()=>o(m)}>${m===nn[2]?t("figures.days",{days:m}):m}</button>`)}</div>`;return n`<${Es} bars title=${t("figures.spent")} day=${t("figures.day")} today choice=${c}
    points=${r&&r.map(m=>({key:m.day,name:xe(m.day,"UTC"),value:D(m.spent)}))}
    sum=${i&&l&&(i==="0"?t("figures.spent-none"):n`<span><b translate=${!1}>${ee(i)}</b> <span class="quiet">${t("figures.in-days",{days:s})}</span></span><${zn} of=${Qt(i,l)} />`)} />`}var zn=({of:e})=>e!==void 0&&n`<span class="quiet">${!!e&&n`<${p} name=${e<0?"trending-down":"trending-up"} />`}${t("figures."+(e?e<0?"less":"more":"same"),{percent:Lt(Math.abs(e))})}</span>`;var ze=(e,s)=>n`<${Kn} key=${e.id} line=${e} filter=${s} />`;function Kn({line:e,filter:s}){let o=Ne.use()[e.id],a=it.use()===e.id,r=o&&o.updatedAt>e.updatedAt?{...e,...o}:e,[i,l]=b(""),[c,m,u]=Zs(s,e.id),{id:d,username:g,expDate:y,isTrial:w,effective:C,status:_}=r,T=!!_&&C!=="suspended"&&C!=="owner_blocked",h=T&&!w&&Fe(y)<=2,v=s&&q.get().query.get("q")||"",$=rt(g,v)?null:[r.whatsapp,r.notes].find(U=>rt(U,v)),S=Qn(()=>{s&&!c&&u()});return n`<tr class=${[c&&"is-picked",T&&!w&&"is-active",!_&&!w&&"is-expired"].filter(Boolean).join(" ")} data-id=${d} ...${s?S:{}}>
    ${s&&n`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${u} aria-label=${t("select.line",{name:g})} /></label></td>`}
    <th scope="row" class="name clip"><${x} to=${"/lines/"+d} title=${g} translate=${!1} data-row><${qe} text=${g} by=${v} /><//></th>
    <td class="st"><${Ee} line=${r} /></td>
    <td class="expiry clip">${!i&&n`<span title=${W(y)}>${xe(y)}</span> <span class=${h?"rel soon":"rel"}>${Ce(y)}</span>`}<span class="told" role="status">${i&&n`<${p} name="check" />${i}`}</span>${$&&n`<span class="hit-in"><${qe} text=${$} by=${v} /></span>`}</td>
    <td class="phone clip"><${qe} text=${r.whatsapp} by=${v} /></td>
    <td class="notes clip quiet">${r.owner!==k().id&&n`<${Jn} id=${r.owner} />`}${r.notes&&n`<span class="note-text"><${qe} text=${r.notes} by=${v} /></span>`}</td>
    <td class="does"><span>
      ${f("lines:spend")&&n`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${t(w?"line.activate-title":"line.extend-title",{name:g})}
        onClick=${()=>{l(""),it.set(d)}}>${t(w?"line.activate":"line.extend")}</button>`}
      <${Us} line=${r} />
      ${f("lines:write")&&n`<${K} label=${t("more-about",{name:g})}>
        <${x} to=${`/lines/${d}?do=edit`}><${p} name="pencil" />${t("line.edit")}<//>
        <${x} to=${`/lines/${d}?do=${r.suspended?"resume":"suspend"}`}><${p} name=${r.suspended?"play":"circle-pause"} />${t(r.suspended?"line.resume":"line.suspend")}<//>
        ${f("lines:delete")&&n`<hr /><${x} class="bad" to=${`/lines/${d}?do=delete`}><${p} name="trash-2" />${t("line.delete")}…<//>`}<//>`}
      ${a&&n`<${Gs} line=${r} then=${U=>{U&&l(t(w?"line.active":"line.renewed",{until:xe(U)}))}} />`}
    </span></td>
  </tr>`}function Qn(e){let s=M({timer:0,touch:!1,done:!1}),o=()=>clearTimeout(s.current.timer),a=()=>{o(),s.current.done||e(),s.current.done=!0};return{onPointerDown:r=>{let i=r.pointerType==="touch";s.current={touch:i,done:!1,timer:i?setTimeout(a,500):0}},onContextMenu:r=>{s.current.touch&&(r.preventDefault(),a())},onPointerUp:o,onPointerCancel:o,onPointerMove:o,onClickCapture:r=>{s.current.done&&(s.current.done=!1,r.preventDefault(),r.stopPropagation())}}}function Jn({id:e}){let s=Xt(e);return n`<span class="owner">${s?t("line.owner-name",{name:s}):t("line.owner-id",{id:e})}</span>`}var ln=()=>`resellerd${re} started ${ce(k())}`;function cn(e){let{messages:s,reading:o}=he(),[a,r]=b(()=>!!ae(ln())),l=!k().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(f)&&!a&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some(d=>d.activations||d.extensions),c=ue(l?"/lines":null,{isTrial:0,limit:1},1),m=As("server",s),u=!!e&&(e.lines.trials>0||e.days.some(d=>d.trials>0));return{reading:o,known:!l||!o&&!!(c.value||c.problem),takes:l&&c.value?.data.length===0,server:m,tried:u,at:m?u?2:1:0,leave:()=>{oe(ln(),"yes"),r(!0)}}}function mn({of:{server:e,tried:s,at:o,leave:a}}){let r=Ae().prices?.find(m=>m.period==="1 month"),i=[!!e,s,!1],l="/lines?show=trials",c=(m,u,d,g)=>{let y=["server","trial","customer"].indexOf(m),w=t("start."+m);return n`<li class=${i[y]?"is-done":y===o?"is-now":""} aria-current=${y===o?"step":void 0} data-step=${m}>
      <span class="step" aria-hidden="true">${i[y]?n`<${p} name="check" />`:y+1}</span>
      <div><h2>${w}${i[y]&&n`<span class="hush"> ${t("start.done")}</span>`}</h2><p class="quiet text">${u}</p>${y===o&&g}</div>
      ${i[y]&&n`<${x} class="button ghost only" to=${d} aria-label=${t("start.change",{step:w})} title=${t("start.change",{step:w})}><${p} name="pencil" /><//>`}</li>`};return n`<section class="panel first-steps"><ol class="steps">
      ${c("server",e||t("start.server-why"),"/messages",n`<${x} class="button primary" to="/messages">${t("start.server-do")}<//>`)}
      ${c("trial",t("start.trial-why"),l,n`<${be} />`)}
      ${c("customer",r?t("start.customer-costs",{cost:Q(r.credits)}):t("start.customer-why"),"/lines",n`<${x} class="button primary" to=${l}>${t("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${t("start.at",{done:i.filter(Boolean).length,all:i.length})}</span><button type="button" class="button link" data-later onClick=${a}>${t("start.later")}</button></p></section>`}var Vn=24*36e5,Gn=O("Queue",!0),Oe=7,Xn=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),Ke=()=>!k().is_admin&&f("users:write");function un(){let e=q.use().query.get("do"),s=_e("picked");return e==="extend"&&s&&f("lines:spend")?n`<${He} action="extend" picked=${s} said=${[t("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&Ke()?n`<${Yn} />`:n`<${Zn} />`}function Yn(){let e=at(k().id);return n`<${F} title=${t("nav.home")} up="/"><${Se} of=${e}>${s=>n`<${xs} account=${k()} alerts=${s} />`}<//><//>`}function Zn(){let e=!!k().is_admin,s=f("lines:read"),o=f("events:read"),a=!o&&f("ledger:read"),[r]=b(we),i=G=>new Date(r+G*Vn).toISOString(),l=on(),c={isTrial:0,effective:"running",expires_after:i(0),expires_before:i(7)},m={isTrial:0,effective:"expired",expires_after:i(-14),sort:"latest_expiry"},u=ue(s?"/lines":null,{...c,limit:Oe},Oe),d=ue(s?"/lines":null,{...m,limit:Oe},Oe),g=ue(o?"/events":a?`/users/${k().id}/ledger`:null,o?{limit:5,order:"desc",type:Xn}:{limit:5},5),y=te(f("manage")?"/webhooks":null),w=cn(l.value),{takes:C}=w,[_,T]=b(null),h=M(!1);h.current||=[s&&u,s&&d,s&&l,(o||a)&&g,f("manage")&&y].every(G=>!G||G.value||G.problem)&&w.known&&(!Ke()||!w.reading);let v=l.value?.lines.expiring_7d||0,$=l.value?.lines.expired_14d||0,S=s&&v>0&&f("lines:spend"),U=(G,Hn)=>n`<button type="button" class="button" data-queue onClick=${()=>T(G)}><${p} name="message-circle" />${Hn}</button>`;return n`<${F} title=${t(C?"start":"nav.home")} actions=${f("lines:write")&&!(C&&w.at===1)&&n`<${be} plain=${S||C} />`}>
    ${h.current?n`<${no} of=${y.value?.data} /><div class="cols">
      ${C?n`<div class="stack"><${mn} of=${w} /></div>`:s&&n`<div class="stack">
        <${ut} title=${v?t("home.soon-n",{n:v,count:E(v)}):t("home.soon")} icon="calendar-clock" of=${u} lines none=${t("home.soon-none")} all="/lines?when=soon&show=official" n=${v}
          actions=${v>0&&n`${S&&n`<button type="button" class="button primary" onClick=${()=>B("extend",{picked:{filter:c}})}>${t("home.renew",{n:v,count:E(v)})}</button>`}
            ${U(c,t("home.remind",{n:v,count:E(v)}))}`} />
        <${ut} title=${$?t("home.past-n",{n:$,count:E($)}):t("home.past")} icon="user-round-x" of=${d} lines none=${t("home.past-none")} all="/lines?when=past&show=official" n=${$}
          actions=${$>0&&U(m,t("home.win-back"))} />
        <${an} of=${l} />
      </div>`}
      <div class="stack">
        ${e?n`${f("ledger:read")&&n`<${Bs} />`}<${so} />`:n`<${eo} lines=${l.value?.lines} />`}
        ${s&&!C&&n`<${rn} of=${l} />`}
        ${o?n`<${ut} title=${t("home.activity")} of=${g} row=${Ss} none=${t("activity.none")} all="/activity" />`:a&&n`<${Rs} of=${g} />`}
      </div>
    </div>`:n`<${At} />`}
    ${_&&n`<${Gn} query=${_} onClose=${()=>T(null)} />`}
  <//>`}function eo({lines:e}){let s=me.use(),o=Ft.use(),a=at(k().id),{prices:r}=Ae(),i=r?.find(d=>d.period==="1 month"),l=a.value?.balance_low,c=s&&(a.value||a.problem||!f("users:read"))?Vt(s.credits,l,i?.credits):"",m=s&&i?D(s.credits)/D(i.credits):0n,u=l?t("alert.is",{amount:ee(l)}):t(a.value?"alert.new":"alert");return n`<section class="panel own">
    <header><h2>${t("home.balance")}</h2>${Ke()&&n`<button type="button" class="button ghost only" aria-label=${u} title=${u} data-alert onClick=${()=>B("alert")}><${p} name="bell" /></button>`}</header>
    <div class="balance-row"><${Ut} of=${s} />${Ke()&&n`<${to} balance=${s?.credits} lines=${e} low=${!!c} />`}</div>
    ${!s&&o&&n`<${P} problem=${o} retry=${Rt} />`}
    <p class="stock">${c?n`<span data-low=${c}><${It} tone="warn" icon="circle-alert">${t("home.low",{amount:ee(c)})}<//></span>`:i&&m>0n?n`<span class="quiet">${t("home.enough",{n:Number(m),count:E(m),period:Hs(i.period)})}</span>`:" "}</p>
  </section>`}function to({balance:e="0",lines:s,low:o}){let{staff:a,username:r}=k(),i=he().messages?.inherited||{},l=s?.expiring_7d||0,c=t(l?"ask.message-soon":"ask.message",{n:l,count:E(l),name:a?t("acts-for",{name:a.username,account:r}):r,balance:Q(e)});return n`<div class=${o?"ask urgent":"ask"}><a class="button" href=${sn(i,c)} target="_blank" rel="noopener noreferrer"><${p} name="hand-coins" />${t("ask")}</a>
    ${!i.whatsapp&&!i.telegram&&n`<${$e} text=${c} label=${t("ask.copy")} />`}</div>`}function so(){let{value:e,problem:s}=te("/service");return s?null:n`<section class="panel service"><h2>${t("home.service")}</h2>
    <${pe} of=${[[t("home.version"),e?e.version:" "],[t("home.store"),e?e.store:" "],[t("home.started"),e?W(e.started_at):" "],[t("home.backup"),e?e.last_backup_at&&W(e.last_backup_at):" "]]} /></section>`}function no({of:e=[]}){let s=e.filter(o=>!o.enabled&&o.disabled_reason!=="requested");return s.length>0&&n`<${j} tone="unsure"><p><strong>${t("home.still",{n:s.length})}</strong></p>
    ${s.map(o=>n`<p key=${o.id}><${x} to=${"/webhooks/"+o.id}>${Ls(o)}<//> ${Ps(o)[0]}</p>`)}<//>`}function ut({title:e,icon:s="",of:o,row:a,lines:r=!1,none:i,all:l,n:c=0,actions:m}){let u=o.value?.next_cursor||!r&&o.value?.data.length?"all":o.value?.data.length>3?"all thumb":"";return n`<section class=${r?"panel task":"panel"}><header><h2>${s&&n`<${p} name=${s} />`}${e}</h2>${m&&n`<div class="buttons">${m}</div>`}</header>
    <${Se} of=${o}>${({data:d,next_cursor:g})=>n`
      ${d.length?r?n`<table class="table customers few"><tbody>${d.slice(0,Oe).map(y=>ze(y))}</tbody></table>`:n`<ul class="rows">${d.slice(0,5).map(y=>n`<li key=${y.id}>${a?.(y)}</li>`)}</ul>`:n`<p class="quiet">${g?t("home.unsure"):i}</p>`}
      ${u&&n`<p class=${u}><${x} to=${l}>${c?t("home.all-n",{n:c,count:E(c)}):t("home.all")}<//></p>`}`}<//>
  </section>`}var dn=({name:e,label:s,value:o,of:a,choose:r,always:i})=>n`<p class="menu-head">${s}</p>
  ${[...i?[]:[["",t("filter.any")]],...a].map(([l,c])=>n`<button key=${l} type="button" aria-pressed=${o===l} data-filter=${e} data-value=${l} onClick=${()=>r(l)}>
    <${p} name=${o===l?"check":""} />${c}</button>`)}`;function $n(e){let{name:s,label:o,value:a,of:r,choose:i}=e,l=r.find(([c])=>c===a)?.[1];return n`<span class="filter-of" data-of=${s}>
    <${K} label=${l?`${o}: ${l}`:o} look=${l?"filter is-set":"filter"} face=${n`${l?n`<span class="what">${o}:</span> ${l}`:o}${!l&&n`<${p} name="chevron-down" />`}`}><${dn} ...${e} /><//>
    ${l&&n`<button type="button" class="filter-x" aria-label=${t("filter.remove",{filter:l})} onClick=${()=>i("")}><${p} name="x" /></button>`}
  </span>`}var Qe=({of:e,children:s})=>n`<span class="filters-all"><${K} label=${t("filter.more")} look="chip" face=${n`<${p} name="list-filter" />${t("filter.more")}`}>
  ${e.map(o=>n`<${dn} key=${o.name} ...${o} />`)}${s}<//></span>`;var oo=e=>vs(e).map(({name:s,key:o,values:a})=>({name:s,text:t(o,a)})),ao={...Object.fromEntries(ds.map(e=>[e,""])),days:"",sort:""};function pn(){let{query:e}=q.use(),[s,o]=b(!1),a=e.get("do")||"",r=_e("picked"),i=bs(e,e.get("when")?qt():0,k().id),l=JSON.stringify(i),c=Xs().length>0,m=!!Ys(l)||s,u=oo(e);if(Object.hasOwn(lt,a)&&r&&f(lt[a]))return n`<${He} key=${a} action=${a} picked=${r} said=${u.map(({text:$})=>$)} />`;let d={...i,sort:ws(e,i)},g=ys(e),y=gs(e),w=$=>H({sort:$===y?"":$}),C=$=>$.map(S=>[S,t("filter."+S)]),_=[{name:"status",label:t("filter.status"),value:hs(e),of:C(us)},{name:"show",label:t("filter.show"),value:e.get("show")||"",of:C(["official","trials"])},{name:"when",label:t("filter.when"),value:e.get("when")||"",of:[["soon",t("filter.soon",{n:fs(e)})],["past",t("filter.past")]]},...I.haveBelow()?[{name:"mine",label:t("filter.whose"),value:e.get("mine")||"",of:[["1",t("filter.mine")]]}]:[],{name:"sort",label:t("sort"),value:g,always:!0,of:[y,...["newest","expiry","latest_expiry","username"].filter($=>$!==y)].map($=>[$,t("sort."+$)])}].map($=>({...$,choose:S=>$.name==="sort"?w(S):H({[$.name]:S,...$.name==="when"&&{days:""}})})),T=u.filter(({name:$})=>!_.some(S=>S.name===$&&S.value)),h=n`<tr>
    ${c&&n`<th class="pick"><${en} filter=${l} /></th>`}
    <${Je} name="name" label=${t("customer")} orders=${[["username","ascending"]]} order=${g} choose=${w} />
    <th class="st">${t("filter.status")}</th>
    <${Je} name="expiry" label=${t("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${g} choose=${w} />
    <th class="phone">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`,v=()=>{Be.set(null),o(!1)};return n`<${F} title=${t("nav.lines")} actions=${n`<${mt} query=${d} />
      ${c&&n`<button type="button" class="button ghost only thumb" aria-label=${t("select.some")} title=${t("select.some")} aria-pressed=${m} onClick=${()=>m?v():o(!0)}><${p} name="square-check" /></button>`}
      ${f("lines:write")&&n`<${be} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${t("chips")}><${Qe} of=${_}><hr /><${mt} query=${d} look="" /><//><${ro} query=${e} /></nav>
      ${m?n`<${tn} filter=${l} query=${i} listed=${d} leave=${v} />`:n`<div class="list-bar">${_.map($=>$.name!=="sort"&&n`<${$n} key=${$.name} ...${$} />`)}
          ${T.map(({name:$,text:S})=>n`<button key=${$} type="button" class="chip is-on" aria-label=${t("filter.remove",{filter:S})} onClick=${()=>H({[$]:""})}>${S}<${p} name="x" /></button>`)}
          ${u.length>0&&n`<button type="button" class="button link" onClick=${()=>H(ao)}>${t("filter.clear")}</button>`}</div>`}
      <${Le} path="/lines" query=${d} label=${t("nav.lines")} head=${h} look="customers" count=${cs} empty=${u.length?t("lines.none-such"):t("lines.none")}
        row=${$=>ze($,c?l:void 0)} />
    </div>
  <//>`}function Je({name:e,label:s,orders:o,order:a,choose:r}){let i=o.findIndex(([c])=>c===a),l=o[i]?.[1];return n`<th class=${e} scope="col" aria-sort=${l}><button type="button" class="sort" onClick=${()=>r(o[(i+1)%o.length][0])}>${s}<${p} name=${l?l==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function ro({query:e}){let s=Ne.use(),o=te("/reports/summary",{days:1,...ks(e,k().id,I.haveBelow())}),[a]=b(s);R(()=>{s!==a&&o.reload()},[s]);let r=o.value?.lines,i=ps(e),l=!["status","show","when"].some(m=>e.get(m)),c=(m,u,d,g)=>n`<a key=${m} href=${Te("/lines?"+new URLSearchParams(d))} aria-current=${u?"page":void 0} data-tab=${m}
    onClick=${y=>{y.preventDefault(),H({...d,days:""})}}>${t("tabs."+m)}${g!==void 0&&n` <b>${E(g)}${r?.capped?"+":""}</b>`}</a>`;return n`${c("all",l,{status:"",show:"",when:""},void 0)}
    ${Object.entries($s).map(([m,[u,d]])=>c(m,m===i,d,r?.[u]))}`}function fn({text:e,onClose:s}){let[o,a]=b({side:1,path:""}),r=()=>{import("./qr.js").then(({modules:i,pathOf:l})=>{let c=i(e);a(c&&{side:c.length+8,path:l(c)})},()=>a(new ke("no-answer")))};return R(r,[]),n`<${fe} look="dialog" title=${t("line.qr")} onClose=${s}>
    ${o instanceof ke?n`<${P} problem=${o} retry=${r} />`:o?n`<svg class="qr" viewBox="0 0 ${o.side} ${o.side}" role="img" aria-label=${t("line.qr")}><path d=${o.path} /></svg><p class="quiet">${t("line.qr-meaning")}</p>`:n`<p>${t("line.qr-long")}</p>`}
  <//>`}function bn({id:e}){let{query:s}=q.use(),o=Dt(`/lines/${e}`,!0),a=o.value,{reading:r}=he(),i=M(()=>{});return n`<${F} title=${a?.username||t("line.title")} named=${a} up="/lines" below=${a&&n`<${io} line=${a} />`}
    actions=${a&&n`<${lo} line=${a} stop=${()=>i.current()} />`}>
    <${Se} of=${r&&a?{loading:!0}:o}>${l=>n`<${yo} key=${l.updatedAt} line=${l} changed=${o.set} act=${i} />
      <${mo} line=${l} doing=${s.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function io({line:e}){let{expDate:s}=e,o=!Fe(s);return n`<p class="glance"><${Ee} line=${e} badge /> <span>${t(Date.parse(s)>we()?"line.ends":"line.ended")}
    <time datetime=${s}><b>${o?Ce(s):W(s)}</b>${!o&&n` <span class="quiet">${Ce(s)}</span>`}</time></span></p>`}function lo({line:{username:e,isTrial:s,suspended:o},stop:a}){let r=f("lines:write"),i=t("line.edit");return n`${f("lines:spend")&&n`<${co} name=${s?"activate":"extend"} />`}
    ${r&&n`<button type="button" class="button" aria-label=${i} onClick=${()=>B("edit")}><${p} name="pencil" /><span class="wide-only">${i}</span></button>`}
    ${(r||f("lines:delete"))&&n`<${K} label=${t("more-about",{name:e})} look="button only">
      ${r&&n`<button type="button" onClick=${a}><${p} name=${o?"play":"circle-pause"} />${t(o?"line.resume":"line.suspend")}</button>`}
      ${f("lines:delete")&&n`<hr /><button type="button" class="bad" onClick=${()=>B("delete")}><${p} name="trash-2" />${t("line.delete")}…</button>`}<//>`}`}function co({name:e}){let s=zs();return n`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!s} onClick=${()=>B(e)}>
    ${s?t(e==="extend"?"line.renew-for":"line.activate-for",{cost:Q(s)}):t("line."+e)}</button>`}function mo({line:e,doing:s,changed:o}){let a=Ks(e),r=!e.isTrial,i=f("lines:spend"),l=f("lines:write"),c={activate:!r&&i&&hn,extend:r&&i&&hn,edit:l&&go,suspend:l&&wo,resume:l&&ko,delete:f("lines:delete")&&vo},m=Object.hasOwn(c,s)&&c[s];return n`
    ${/suspended|blocked/.test(e.effective||"")&&n`<${j}><p>${t(`line.${e.effective}-means`)}</p><${gn} line=${e} />
      ${l&&e.suspended&&n`<button type="button" class="button" onClick=${()=>B("suspend")}>${t("line.reason")}</button>`}<//>`}
    <div class="cols person">
      <${$o} line=${e} />
      <div class="stack"><${po} line=${e} payer=${a} /></div>
      <${uo} line=${e} />
    </div>
    ${m&&n`<${m} key=${s} line=${e} payer=${a} changed=${o} />`}`}function uo({line:{id:e,updatedAt:s}}){let o=qs({line:e}),a=M(s);return R(()=>{a.current!==s&&o.reload(),a.current=s},[s]),n`<${Os} of=${{line:e}} latest=${o} />`}function $o({line:e}){let[s,o]=b(""),[a,r]=b(!1),i=s||Ds(e,we()),l=Ns(i,e),c=Me(e.whatsapp,e.country),m=Ue(e.telegram),u=m?t("line.telegram-to",{name:"@"+m}):t("line.telegram"),d={target:"_blank",rel:"noopener noreferrer"};return n`<section class="panel sending">
    <h2>${t("line.access")}</h2>
    <fieldset class="choice few short"><legend class="hush">${t("line.message")}</legend>
      ${js.map(g=>n`<label key=${g}><input type="radio" name="message" value=${g} checked=${g===i} onChange=${()=>o(g)} /><span>${t("messages."+g)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${i}>${l}</p>
    <div class="buttons">
      <a class="button send" href=${Ie(c,l)} ...${d}><${p} name="message-circle" />${c?n`<span><span class="wide-only">${t("line.send-by")} </span>WhatsApp ${os(c)}</span>`:t("line.whatsapp")}</a>
      <${$e} text=${l} label=${t("line.copy")} look="button only" />
      <a class="button only" href=${We(m,l)} ...${d} aria-label=${u} title=${u}><${p} name="send" /></a>
      <button type="button" class="button only" aria-label=${t("line.qr")} title=${t("line.qr")} aria-haspopup="dialog" onClick=${()=>r(!0)}><${p} name="qr-code" /></button>
    </div>
    ${e.whatsapp&&!c&&n`<p class="quiet">${t("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
    ${a&&n`<${fn} text=${l} onClose=${()=>r(!1)} />`}
  </section>`}function po({line:e,payer:s}){let o=e.owner!==k().id&&(s?.username||t("reseller.by-id",{id:e.owner}));return n`<section class="panel">
      <h2>${t("line.title")}</h2>
      <${pe} of=${[[t("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${$e} text=${e.username} label=${t("line.copy-name")} /></span>`],[t("password"),n`<${fo} of=${e.password} />`],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Pt(e.country)],[t("line.since"),Et(e.createdAt)],[t("line.owner"),o&&(I.seeResellers()?n`<${x} to=${"/resellers/"+e.owner}>${o}<//>`:o)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("line.external-id"),e.external_id],[t("line.platform"),e.idPlatform],[t("line.id"),e.id],[t("changed"),W(e.updatedAt)]]} />
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${t("line.metadata")}</h2>
      <${pe} of=${Object.entries(e.metadata).map(([a,r])=>[n`<span class="name" translate=${!1}>${a.split(/(?<=_)/).map(i=>n`${i}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${r||"—"}</span>`])} />
    </section>`}`}function fo({of:e}){let[s,o]=b(!1),a=t("password.show");return e===null?n`<span class="quiet">${t("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${s?e:"••••••"}</code>
    <button type="button" class="button ghost only" aria-label=${a} title=${a} aria-pressed=${s} onClick=${()=>o(!s)}><${p} name="eye" /></button>
    <${$e} text=${e} label=${t("line.copy-password")} /></span>`}function hn({line:e,payer:s,changed:o}){let a=()=>L();return n`<${Vs} line=${e} onClose=${a}>
    <${e.isTrial?Js:Qs} line=${e} payer=${s} onClose=${a} then=${(r,i)=>{o(r),L(N(t(e.isTrial?"line.activated":"line.extended",{name:r.username,until:W(r.expDate)}),{payer:e.owner,key:i}))}} />
  <//>`}var ho=e=>Object.entries(e||{}).map(([s,o])=>`${s}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function bo(e){let s=new Map,o="",a="";for(let r of e.split(`
`))if(s.size&&r.startsWith("  "))s.set(o,s.get(o)+`
`+r.slice(2));else if(r.trim()){let[,i="",l=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||s.has(i))&&(a||=t("line.metadata.row",{row:r})),s.set(o=i,l)}return{metadata:s.size?Object.fromEntries(s):null,wrong:a}}function go({line:e,changed:s}){let[o]=b(e),a=t("line.edit-title",{name:e.username}),r={username:o.username,password:o.password||"",country:o.country,whatsapp:o.whatsapp||"",telegram:o.telegram||"",email:o.email||"",notes:o.notes||"",external_id:o.external_id||"",metadata:ho(o.metadata||null)},i=J({name:"edit "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:a,fields:r}),{answer:l,fields:c}=i,{metadata:m,wrong:u}=bo(c.metadata),[d,g]=b(i.restored);se(i,()=>{s(l),L(N(t("line.edited",{name:l.username})))});let y=()=>{let w=T=>({...De(T),username:Z(T.username),password:T.password,external_id:T.external_id.trim()||null}),C=w(r),_=Object.fromEntries(Object.entries(w(c)).filter(([T,h])=>h!==C[T]));if(c.metadata!==r.metadata&&(_.metadata=m),Object.keys(_).length)return i.send(_);i.cancel(),L()};return n`<${fe} title=${a} onClose=${()=>L()}>
    <${de} form=${i} submit=${t("save")} unclear=${!!u} onClose=${()=>L()} onSubmit=${y}>
      ${!o.isTrial&&n`<fieldset class="group"><legend>${t("messages.access")}</legend><${Cs} form=${i} required=${o.password!==null} /></fieldset>`}
      <fieldset class="group"><legend>${t("line.contact")}</legend><${je} form=${i} /></fieldset>
      <${Nt} title=${t("line.more")} form=${i} names=${["external_id","metadata"]} open=${!!u}>
        <${A} form=${i} name="external_id" label=${t("line.external-id")} hint=${t("line.external-id.hint")} maxlength="64" />
        <${A} form=${i} name="metadata" label=${t("line.metadata")} hint=${t("line.metadata.hint")} wrong=${d&&u} kind="textarea"
          rows=${Math.min(c.metadata.split(`
`).length+3,21)} onBlur=${()=>g(!0)} />
      <//>
    <//>
  <//>`}var gn=({line:{suspension_reason:e}})=>e&&n`<${pe} of=${[[t("reason"),n`<span class="text">${e}</span>`]]} />`,Ve=({id:e,username:s},o,a="")=>({name:`${o}${a} ${e}`,method:o==="suspend"?"PUT":"DELETE",path:`/lines/${e}/suspension`,title:t(`line.${o}-title`,{name:s})});function yn(e,s){let o=e.username,a=s==="suspend"?"resume":"suspend";return e.suspended&&s==="suspend"?N(t("line.edited",{name:o})):N(t(`line.${s}-done`,{name:o}),{undo:{...Ve(e,a," again"),body:a==="suspend"?{reason:e.suspension_reason||""}:void 0,said:t(`line.${a}-done`,{name:o})}})}function yo({line:e,changed:s,act:o}){let a=e.suspended?"resume":"suspend",r=J({...Ve(e,a," now"),fields:{}});return o.current=()=>r.send(a==="suspend"?{}:void 0),se(r,()=>{X(yn(e,a)),s(r.answer)}),r.state==="unknown"?n`<${Re} form=${r} />`:r.state==="refused"&&r.problem&&n`<${P} problem=${r.problem} />`}function wo({line:e,changed:s}){let o=J({...Ve(e,"suspend"),fields:{reason:e.suspension_reason||""}});return n`<${wn} form=${o} line=${e} changed=${s} does="suspend"><p>${t("line.suspended-means")}</p><${Ts} form=${o} name=${e.username} /><//>`}function ko({line:e,changed:s}){let o=J({...Ve(e,"resume"),fields:{}});return n`<${wn} form=${o} line=${e} changed=${s} does="resume"><p>${t("line.resume-meaning")}</p><${gn} line=${e} /><//>`}function wn({form:e,line:s,changed:o,does:a,children:r}){let[i]=b(s);return se(e,()=>{o(e.answer),L(yn(i,a))}),n`<${fe} title=${t(`line.${a}-title`,{name:s.username})} onClose=${()=>L()}>
    <${de} form=${e} danger=${a==="suspend"} submit=${t("line."+a)} onSubmit=${()=>e.send(a==="suspend"?e.fields:void 0)} onClose=${()=>L()}>${r}<//>
  <//>`}function vo({line:e}){let s=t("line.delete-title",{name:e.username}),o=J({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:s,fields:{typed:""},secret:["typed"]});return se(o,()=>Ct("/lines",N(t("line.deleted",{name:e.username})))),n`<${fe} look="dialog" title=${s} onClose=${()=>L()}>
    <${de} form=${o} danger submit=${t("line.delete")} ready=${Z(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>L()}>
      <p>${t("line.delete-meaning")}</p>
      <${A} form=${o} name="typed" label=${t("line.delete-type",{name:e.username})} autofocus required />
    <//>
  <//>`}function kn({name:e,label:s}){let o=q.use().query.get(e)||"",[a,r]=b(o),i=M(0);return R(()=>{i.current||r(o)},[o]),R(()=>()=>clearTimeout(i.current),[]),n`<label class="search"><${p} name="search" />
    <input type="search" value=${a} onInput=${c=>{let m=c.target.value;r(m),clearTimeout(i.current),i.current=setTimeout(()=>{i.current=0,H({[e]:Z(m)})},250)}} aria-label=${s} placeholder=${s} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var xo=500,vn={low:e=>!!rs(e),blocked:e=>!e.active_tree},xn=({credits:e},{credits:s})=>D(e)<D(s)?-1:+(D(e)>D(s)),Cn=["balance","-balance"];function Sn(e){let s=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?s.set(o,a):s.delete(o);St({},s.size?"?"+s:""),q.set({...q.get(),query:s})}function qn(){let{query:e}=q.use(),[s,o]=b(null);if(e.get("do")==="create"&&I.createResellers())return n`<${Co} />`;let a=e.get("q"),r=!!e.get("all")||!!a,i=s!==!1&&e.get("view")||"",l=s!==!1&&Cn.find(h=>h===e.get("sort"))||"",c=r?{q:a}:{master:k().id},m=(h,v)=>h.filter($=>$.id!==k().id&&vn[v]?.($)!==!1),u=h=>s&&!a&&m(s,h).length,d=h=>{let v=m(h,i);return l?v.sort(($,S)=>l==="balance"?xn($,S):xn(S,$)):v},g=(h,v,$,S)=>n`<a key=${h} href=${Te("/resellers?"+new URLSearchParams($))} aria-current=${v?"page":void 0} data-tab=${h}
    onClick=${U=>{U.preventDefault(),($.all?r&&!a:!r)?Sn({view:$.view||""}):H({q:"",all:"",view:"",...$})}}>${t("resellers."+h)}${typeof S=="number"&&n` <b>${E(S)}</b>`}</a>`,y={name:"sort",label:t("sort"),value:l,always:!0,of:["",...Cn].map(h=>[h,t("sort."+(h||"oldest"))]),choose:h=>Sn({sort:h})},w=s?n`<${Je} name="num bal" label=${t("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${l} choose=${y.choose} />`:n`<th class="num bal">${t("balance")}</th>`,[C,..._]=t("reseller.new").split(" "),T=n`<tr><th class="name">${t("reseller.title")}</th>${w}<th class="sit">${t("filter.status")}</th><th class="last">${t("reseller.recharged")}</th>
    <th class="tel">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`;return n`<${F} title=${t("nav.resellers")} actions=${n`<${ct} of="users" query=${c} />
      ${I.createResellers()&&n`<button type="button" class="button primary" onClick=${()=>B("create")}><${p} name="plus" /><span>${C}<span class="words"> ${_.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${t("chips")}><${Qe} of=${s?[y]:[]}><hr /><${ct} of="users" query=${c} look="" /><//>
        ${g("direct",!r&&!i,{},!r&&u(""))}
        ${s!==!1&&Object.keys(vn).map(h=>g(h,i===h,{view:h,...e.get("all")&&{all:"1"}},u(h)))}
        ${g("all",r&&!i,{all:"1"},r&&u(""))}</nav>
      <div class="filters" role="search"><${kn} name="q" label=${t("resellers.search")} /></div>
      <${Le} path="/users" query=${c} row=${is} label=${t("nav.resellers")} head=${T} look="resellers" size=${xo} arrange=${d} told=${o}
        count=${h=>t("resellers.count",{n:h,count:E(h)})} empty=${t(a||i?"resellers.none-such":"resellers.none")} />
    </div>
    <${ns} then=${X} />
  <//>`}function Co(){let e=me.use(),s=J({name:"create",method:"POST",path:"/users",title:t("reseller.new"),secret:["password"],fields:{username:"",password:Fs(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:Y.get()}}),o={...s.fields,country:s.fields.country??e?.country??""},a={...s,fields:o},{answer:r}=a,i=es(o.credits,!0),l=a.frozen?a.said().credits:i.amount;se(a,()=>{let m=r.credits!=="0";_s.set({of:"reseller "+r.id,secret:o.password}),ie("/resellers/"+r.id,{replace:!0,state:N(t("reseller.created",{name:r.username}),m?{payer:r.id,key:a.key}:{})})});let c=()=>a.send({username:o.username,password:o.password,is_master:o.is_master,credits:l,language:o.language,...De(o)});return n`<${F} title=${t("reseller.new")} up="/resellers"><section class="panel">
    <${de} form=${a} submit=${l&&D(l)>0n?t("reseller.create-amount",{amount:Q(l)}):t("reseller.create")} unclear=${!!i.wrong} onSubmit=${c} onClose=${()=>L()}>
      <${A} form=${a} name="username" label=${t("username")} maxlength="64" required />
      <${A} form=${a} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!o.is_master} disabled=${a.frozen}
        onChange=${m=>a.set({is_master:m.target.checked?1:0})} />${t("reseller.is-master")}</label>
      ${f("credits:move")&&n`<${ts} form=${a} typed=${i} label=${t("reseller.first-credits")} hint=${t(k().is_admin?"amount.issued":"amount.own")} />`}
      <${je} form=${a} />
      <${A} form=${a} name="language" label=${t("language")} kind="select">
        ${Object.entries(ve).map(([m,u])=>n`<option key=${m} value=${m} lang=${m}>${u}</option>`)}<//>
    <//>
  </section><//>`}var On=[["/",un],["/lines",pn],["/lines/:id",bn],["/jobs",O("Jobs")],["/jobs/:id",O("Job")],["/resellers",qn],["/resellers/:id",O("Reseller")],["/statement",O("Statement")],["/activity",O("Activity")],["/webhooks",O("Webhooks")],["/webhooks/:id",O("OneWebhook")],["/keys",O("Keys")],["/keys/:id",O("OneKey")],["/staff",O("Staff")],["/staff/:id",O("Member")],["/messages",O("Messages")],["/sessions",O("Sessions")],["/proof",O("Proof")],["/prices",O("Prices")]];var dt=`resellerd${re} theme`,_n=matchMedia("(prefers-color-scheme: dark)"),Tn=["device","light","dark"],Ge=ye(ae(dt)||"device");function Fn(e){e==="device"?localStorage.removeItem(dt):oe(dt,e),Ge.set(e),Rn()}function Rn(){let e=Ge.get();document.documentElement.dataset.theme=e==="device"?_n.matches?"dark":"light":e}_n.addEventListener("change",Rn);var $t=`resellerd${re} keys off`,pt=ye(!ae($t)),V=ye(!1);function So(e){e?localStorage.removeItem($t):oe($t,"yes"),pt.set(e)}function En(e){let s=document.querySelector("[data-search]");!(s instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),s.focus(),s.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&En(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let s=e.target instanceof HTMLElement?e.target:document.body,o=s.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!V.get()){o?s.blur():q.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&L();return}if(!(o||!pt.get()||V.get())){if(e.key==="/")En(e);else if(e.key==="x")(s.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(s.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),V.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(l=>l===s||(l.closest("tr")||l.previousElementSibling)?.contains(s)),i=r>=0?r+(e.key==="j"?1:-1):a.findIndex(l=>l.getBoundingClientRect().top>=0);if(!a[i])return;e.preventDefault(),a[i].focus(),a[i].scrollIntoView({block:"nearest"})}}});var qo=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function Ln(){let e=M(null),s=V.use(),o=pt.use();return R(()=>{s?e.current?.showModal():e.current?.close()},[s]),n`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>V.set(!1)}>
    <h2 id="keys">${t("keys.title")}</h2>
    <dl class="facts">${qo.map(([a,r])=>n`<div key=${a}><dt>${a.split(" ").map(i=>n`<kbd>${i}</kbd> `)}</dt><dd>${t("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${o} onChange=${a=>So(a.target.checked)} />${t("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>V.set(!1)}>${t("close")}</button></div>
  </dialog>`}var ft=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",I.haveBelow],["/statement","receipt-text","ledger:read"]],ht={business:[["/prices","tag","",()=>!!k().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!k().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},Xe=([,,e,s])=>f(e)&&s?.()!==!1,bt=e=>t("nav."+(e.slice(1)||"home"));function Mn({children:e}){let{path:s}=q.use(),o=Yt.use(),[a,r]=b(!1),i=zt(a,()=>r(!1)),l="/"+s.split("/")[1],c=Oo(),m=([u,d])=>n`<${x} key=${u} to=${u} title=${bt(u)} aria-current=${u===l?"page":void 0}>
    <${p} name=${d} /><span>${bt(u)}</span><//>`;return n`
    <a class="skip" href="#main">${t("skip")}</a>
    <nav class="places" aria-label=${t("nav")}>
      <${x} to="/" class="brand" translate=${!1}><${Ye} /><span class="clip">${z}</span><//>
      ${ft.filter(Xe).map(m)}
      <div class="rest" ref=${i}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${p} name="menu" /><span>${t("nav.more")}</span></button>
        ${a&&n`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${u=>{u.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${Pn} /></span></div>
          ${Object.entries(ht).map(([u,d])=>d.some(Xe)&&n`<div key=${u} class=${"group "+u}><p class="group-name">${t("nav.group."+u)}</p>${d.filter(Xe).map(m)}</div>`)}
          <div class="narrow"><${Ze} /><${et} /></div>
        </div>
      </div>
      <${ms} />
    </nav>
    <header class="top" data-who=${c}>
      <${x} to="/" class="start" aria-label=${z}><${Ye} /><//>
      <${To} />
      <${Pn} link />
      <${K} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${x} to="/sessions"><${p} name="shield-check" />${t("nav.sessions")}<//>
        <${Ze} />
        <button type="button" onClick=${()=>V.set(!0)}><${p} name="keyboard" />${t("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${et} />
      <//>
    </header>
    <${jt} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${o.map(u=>n`<${Fo} key=${u.id} sent=${u} />`)}<${ss} />
      </div>
      ${[...ft,...Object.values(ht).flat()].every(([u,,d])=>u!==l||f(d))?e:n`<${F} title=${t("nav."+l.slice(1))}><${j}><p>${t("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${Ln} /><${Wt} />`}function Oo(){let{staff:e,username:s}=k();return e?t("acts-for",{name:e.username,account:s}):s}var _o=O("Palette",!0);function To(){let[e,s]=b(!1);return n`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>s(!0)}>
    <${p} name="search" /><span class="clip">${t("search")}${f("lines:read")&&n` <span class="desk">${t("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&n`<${_o} places=${[...ft,...Object.values(ht).flat()].filter(Xe).map(([o,a])=>[o,a,bt(o)])} close=${()=>s(!1)} />`}`}function Pn({link:e=!1}){let s=me.use();if(!s||s.is_admin)return null;if(!e)return n`<span class="quiet"><${Bt} of=${s.credits} /></span>`;let o=n`<${p} name="coins" /><${Ht} of=${s.credits} />`;return f("ledger:read")?n`<${x} to="/statement" class="balance">${o}<//>`:n`<span class="balance">${o}</span>`}function Fo({sent:e}){let s=Zt(e),o=s.state.use(),[a,r]=b(!1),{path:i}=q.use(),l=e.place&&e.place!==i+location.search;if(R(()=>{r(!1);let m=setTimeout(()=>r(!0),e.place&&!l?5e3:700);return()=>clearTimeout(m)},[l]),R(()=>s.state.watch(()=>{let m=s.state.get();m==="done"&&!e.place&&X(N(t("form.settled",{title:e.title}),{payer:e.payer,key:s.kept.key})),s.problem&&(m==="refused"||m==="over")&&(s.drop(),X(N(t("form.not-done",{title:e.title,why:Mt(s.problem).text}),{tone:"bad"})))}),[]),!a)return null;let c={problem:s.problem,pays:!!e.payer,tooOld:s.tooOld(),again:()=>s.again(),discard:()=>s.drop()};return n`<div class="toast" data-form=${o}><p>${t("form.pending",{title:e.title})}</p>
    ${l?n`<div class="buttons"><${x} class="button primary" to=${e.place}>${t("form.back")}<//></div>`:o==="sending"?n`<p role="status">${t("form.sending")}</p>`:n`<${Re} form=${c} />`}</div>`}var Ye=()=>nt?n`<img class="own-logo" src=${nt} alt="" />`:n`<span class="logo" aria-hidden="true">${z[0]}</span>`,In=()=>n`<p class="langs">${Object.entries(ve).map(([e,s])=>n`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${Y.get()===e}
  onClick=${()=>st(e).catch(()=>location.reload())}>${s.replace(/ \(.*/,"")}</button>`)}</p>`;function Ze(){let[e,s]=b(null),o=a=>{s(null),st(a).catch(s)};return n`<${ot} icon="sun-moon" label=${t("theme")} value=${Ge.use()} choose=${Fn} of=${Tn.map(a=>[a,t("theme."+a)])} />
  <${ot} key=${!!e} icon="languages" label=${t("language")} value=${Y.get()} choose=${o} of=${Object.entries(ve)} />
  ${e&&n`<div class="toasts"><div class="toast"><div><${P} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function et({look:e=""}){let[s,o]=b(null),a=()=>Tt().then(()=>ie("/",{replace:!0}),o);return n`<button type="button" class=${e} onClick=${a}><${p} name="log-out" />${t("sign-out")}</button>
    ${s&&le.get().is!=="out"&&n`<${P} problem=${s} retry=${a} />`}`}function jn({ended:e,dropped:s}){let[o,a]=b({username:"",password:"",totp:""}),[r,i]=b(!1),[l,c]=b(null),[m,u]=b(!1);R(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),R(()=>{let C=l&&document.getElementsByName(r?"totp":"password")[0];C instanceof HTMLInputElement&&(C.focus(),C.select())},[l]);let d=async C=>{if(C.preventDefault(),m)return;u(!0),c(null);let{totp:_,...T}={...o,username:Z(o.username)};try{await _t(r?{...T,totp:Ms(_)}:T)}catch(h){h.code!=="totp-required"?c(r&&h.code==="invalid-credentials"?new ke("wrong-code"):h):i(!0),u(!1)}},g=()=>{a({...o,password:"",totp:""}),c(null),i(!1)},w={fields:o,frozen:m,problem:l,set:C=>{r&&c(null),a(_=>({..._,...C}))}};return n`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${Ye} />${z}</p><${F} title=${t("sign-in")}>
    ${e&&n`<${j} tone=${s?"bad":"unsure"}><p>${t(s?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&n`<${j} tone="bad"><p>${t("sign-in.insecure")}</p><//>`}
    <form onSubmit=${d} aria-busy=${m}>
      ${r?n`<p>${t("sign-in.code",{name:o.username})}</p><${Is} form=${w} name="totp" recovery />`:n`<${A} form=${w} name="username" label=${t("username")} autocomplete="username" maxlength="64" required />
          <${A} form=${w} name="password" label=${t("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${l&&n`<${P} problem=${l} />`}
      <button type="submit" class="button primary wide tall" disabled=${m||!isSecureContext}>${t(m?"form.sending":"sign-in")}</button>
      ${r?n`<button type="button" class="button wide" onClick=${g}>${t("back")}</button>`:n`<p class="quiet small help">${t("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${In} /></main>`}var gt=new WeakSet,ge=new Map,yt=new MutationObserver(Dn);function Dn(e){for(let{target:s,addedNodes:o,removedNodes:a,previousSibling:r,nextSibling:i}of e){let l=s;for(;l&&!gt.has(l);)l=l.parentNode;if(l)continue;for(let u of o)u instanceof Text||gt.add(u);let c=[...o,r,i].filter(u=>u&&gt.has(u)),m=c.find(u=>!ge.has(u))||c[0];if(m)for(let u of a)u instanceof Text&&ge.set(m,[...ge.get(m)||[],u])}}function Ro(e){Dn(yt.takeRecords());let s=[...ge].filter(([o])=>o.parentNode).map(([o,a])=>({stand:o,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));ge.clear();for(let{stand:o,texts:a}of s)o.replaceWith(...a);try{e()}finally{for(let{stand:o,texts:a,was:r,apart:i}of s)if(!(!i||!a.every((l,c)=>l.parentNode&&l.data===r[c]&&(!c||l.previousSibling===a[c-1])))){a[0].before(o);for(let l of a)l.remove();ge.set(o,a)}yt.takeRecords()}}kt.debounceRendering=e=>queueMicrotask(()=>Ro(e));var An=()=>yt.observe(document.body,{childList:!0,subtree:!0});var ne=[];addEventListener("focusin",e=>{ne=[];for(let s=e.target;s instanceof Element;s=s.parentElement)ne.push(s)});addEventListener("focusout",()=>{let[e]=ne;queueMicrotask(()=>{e&&e===ne[0]&&e!==document.activeElement&&wt(e)&&document.hasFocus()&&(ne=[])})});var wt=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),Nn=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function Eo(){let[e]=ne,s=document.activeElement;if(!e||e===document.body||s!==e&&s!==document.body)return;if(wt(e)){s!==e&&Nn(e);return}if(e.isConnected&&e.matches(":disabled"))return;let o=ne.find(i=>i.isConnected),a=o?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(wt);Nn(r||o?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(Eo).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function Lo(){let{path:e}=q.use(),s=le.use();Y.use();let[o]=xt(r=>setTimeout(()=>{throw r}));if(o)return n`<main class="alone"><${F} title=${z}><${j} tone="bad"><p>${t("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${p} name="rotate-cw" />${t("load-again")}</button><//><//></main>`;switch(s.is){case"starting":return null;case"failed":return n`<main class="alone"><${F} title=${z}>
        <${P} problem=${s.problem} retry=${tt} />
        <div class="settings"><${Ze} /></div><//></main>`;case"blocked":return n`<main class="alone"><${F} title=${t("blocked.title")}>
        <${j} tone="bad"><p>${t("problem.account-blocked")}</p><//><div class="buttons"><${et} look="button" /></div><//></main>`;case"out":return n`<${jn} ended=${s.ended} dropped=${s.dropped} />`}if(e==="/sign-in")return ie("/",{replace:!0}),null;let a=Ot(On,e);return n`<${Mn} key=${ce(s.who)}>
    ${a?n`<${a.screen} key=${e} id=${a.id} />`:n`<${F} title=${t("nowhere")}><p><${x} to="/">${t("nav.home")}<//></p><//>`}
  <//>`}function Po(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var Bn="";le.watch(()=>{let e=le.get();!("who"in e)||ce(e.who)===Bn||(Bn=ce(e.who),Kt(),as(),Gt(),ls.set(null),Be.set(null),Po(),setTimeout(()=>Ws().catch(()=>null),2e3))});document.documentElement.dataset.blocked||tt().then(()=>{document.querySelector(".before")?.remove(),vt(n`<${Lo} />`,document.body),An()});
//# sourceMappingURL=app.js.map
