import{$ as Lt,$a as es,$c as Xs,A as X,Aa as Bt,Ac as As,B as H,Ba as A,C as _e,Cc as Ns,D as x,Da as Ht,Db as $s,E as Ot,Ea as pe,Eb as ds,Ec as be,F as xe,Fa as Re,Fb as ps,Fc as Bs,G as Y,Gb as fs,H as s,Ha as Ut,Hb as hs,Hc as Hs,Ia as Wt,Ib as bs,J as me,Ja as zt,Jb as gs,Jc as Us,K as k,Ka as Ee,Kb as ys,Kc as Ae,L as ue,La as Kt,Lb as ws,Lc as Ws,M as $e,Ma as fe,Mb as ks,Mc as rt,N as tt,Na as ne,Nb as vs,Nc as Se,O as _t,Oa as ot,Ob as xs,P as Tt,Pa as Qt,Pb as Cs,Q as Ft,Qa as K,Qb as at,Qc as ge,R as Rt,Ra as Jt,Rb as Ss,S as st,Sa as Le,Sb as qs,Sc as zs,T as f,Ta as Pe,Tb as je,Tc as Ks,U as I,Ua as Vt,Ub as De,Uc as O,V as Z,Va as Gt,Vb as Os,Vc as lt,Wa as Xt,Wb as _s,Wc as Ne,X as W,Xa as Yt,Xb as Ts,Xc as Qs,Y as Et,Ya as Zt,Yc as Js,Za as J,Zb as Fs,Zc as Vs,_ as ee,_a as oe,_c as Gs,a as kt,aa as Te,ab as ts,ad as Ys,b as vt,ba as Fe,bb as ss,bc as Rs,bd as it,c as b,cb as ns,cc as Es,cd as Zs,d as R,da as Pt,db as N,dd as Be,ea as E,eb as os,ed as en,f as M,fa as Mt,fd as tn,g as xt,ga as te,gb as he,gd as ct,hd as mt,i as n,ia as Q,ic as Ls,j as we,ja as D,jb as as,jc as Ps,jd as sn,k as re,kd as nn,l as le,la as It,lb as Me,ld as He,m as ke,ma as jt,mb as rs,mc as Ms,n as ie,na as z,nb as Ie,o as ve,oa as nt,ob as ls,pa as p,pb as is,qa as F,qb as cs,qc as Is,ra as j,s as q,sa as Dt,t as ce,u as Ct,ua as P,v as B,va as se,w as L,wa as At,wb as ms,wc as js,x as Oe,xa as de,xc as Ds,y as St,ya as Nt,z as qt,za as Ce,zb as us}from"./chunk.js";var Ue=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",We=(e,t)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(t);function on({whatsapp:e,telegram:t},o){let a=Me(e||null,""),r=a?"":Ue(t||null);return r?We(r,o):Ie(a,o)}var an=[7,30,90];function rn(){let[e,t]=b(30),o=se(f("lines:read")?"/reports/summary":null,{days:2*Math.max(e,30),tree:I.haveBelow()?k().id:void 0}),a=M(o.value);return a.current=o.value||a.current,{...o,value:a.current,span:e,choose:t}}var zn=["extensions","activations","trials"],Kn=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function ln({of:{value:e,problem:t,reload:o}}){let a=e?.lines,r=e&&Pe(e.days.slice(-1)),l=e&&Pe(Gt(e.days)),i=(c,m,u)=>n`<div class="tile" data-figure=${c}>
    <dt>${s("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${u===null?" ":s("figures.this-month",{amount:u})}</dd></div>`;return n`<section class="panel numbers"><h2>${s("figures")}</h2>
    ${t&&n`<${P} problem=${t} retry=${o} />`}
    <dl class="tiles">
      ${zn.map(c=>i(c,r&&E(r[c]),l&&E(l[c])))}
      ${i("spent",r&&te(r.spent),l&&te(l.spent))}
    </dl>
    <ul class="tiles">${Kn.map(([c,m])=>n`<li key=${c}><${x} class="tile" to=${m} data-count=${c}>
      <span class="figure">${a?E(a[c])+(a.capped?"+":""):" "}</span><span>${s(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function cn({of:{value:e,span:t,choose:o}}){let a=e&&e.days.length>=2*t?e.days.slice(-2*t):null,r=a&&a.slice(t),[l,i]=[r,a&&a.slice(0,t)].map(m=>m&&Pe(m).spent),c=n`<div class="seg small" role="group" aria-label=${s("statement.period")}>
    ${an.map(m=>n`<button key=${m} type="button" aria-pressed=${m===t} onClick=${()=>o(m)}>${m===an[2]?s("figures.days",{days:m}):m}</button>`)}</div>`;return n`<${Ps} bars title=${s("figures.spent")} day=${s("figures.day")} today choice=${c}
    points=${r&&r.map(m=>({key:m.day,name:ee(m.day,"UTC"),value:D(m.spent)}))}
    sum=${l&&i&&(l==="0"?s("figures.spent-none"):n`<span><b translate=${!1}>${te(l)}</b> <span class="quiet">${s("figures.in-days",{days:t})}</span></span><${Qn} of=${Vt(l,i)} />`)} />`}var Qn=({of:e})=>e!==void 0&&n`<span class="quiet">${!!e&&n`<${p} name=${e<0?"trending-down":"trending-up"} />`}${s("figures."+(e?e<0?"less":"more":"same"),{percent:Mt(Math.abs(e))})}</span>`;var ze=(e,t)=>n`<${Jn} key=${e.id} line=${e} filter=${t} />`;function Jn({line:e,filter:t}){let o=Ne.use()[e.id],a=lt.use()===e.id,r=o&&o.updatedAt>e.updatedAt?{...e,...o}:e,[l,i]=b(""),[c,m,u]=tn(t,e.id),{id:$,username:g,expDate:y,isTrial:w,effective:C,status:_}=r,T=!!_&&C!=="suspended"&&C!=="owner_blocked",h=T&&!w&&Te(y)<=2,v=t&&q.get().query.get("q")||"",d=rt(g,v)?null:[r.whatsapp,r.notes].find(U=>rt(U,v)),S=Vn(()=>{t&&!c&&u()});return n`<tr class=${[c&&"is-picked",T&&!w&&"is-active",!_&&!w&&"is-expired"].filter(Boolean).join(" ")} data-id=${$} ...${t?S:{}}>
    ${t&&n`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${u} aria-label=${s("select.line",{name:g})} /></label></td>`}
    <th scope="row" class="name clip"><${x} to=${"/lines/"+$} title=${g} translate=${!1} data-row><${Se} text=${g} by=${v} /><//></th>
    <td class="st"><${Ee} line=${r} /></td>
    <td class="expiry clip">${!l&&n`<span title=${W(y)}>${ee(y)}</span> <span class=${h?"rel soon":"rel"}>${Fe(y)}</span>`}<span class="told" role="status">${l&&n`<${p} name="check" />${l}`}</span>${d&&n`<span class="hit-in"><${Se} text=${d} by=${v} /></span>`}</td>
    <td class="phone clip"><${Se} text=${r.whatsapp} by=${v} /></td>
    <td class="notes clip quiet">${r.owner!==k().id&&n`<${Gn} id=${r.owner} />`}${r.notes&&n`<span class="note-text"><${Se} text=${r.notes} by=${v} /></span>`}</td>
    <td class="does"><span>
      ${f("lines:spend")&&n`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${s(w?"line.activate-title":"line.extend-title",{name:g})}
        onClick=${()=>{i(""),lt.set($)}}>${s(w?"line.activate":"line.extend")}</button>`}
      <${zs} line=${r} />
      ${f("lines:write")&&n`<${K} label=${s("more-about",{name:g})}>
        <${x} to=${`/lines/${$}?do=edit`}><${p} name="pencil" />${s("line.edit")}<//>
        <${x} to=${`/lines/${$}?do=${r.suspended?"resume":"suspend"}`}><${p} name=${r.suspended?"play":"circle-pause"} />${s(r.suspended?"line.resume":"line.suspend")}<//>
        ${f("lines:delete")&&n`<hr /><${x} class="bad" to=${`/lines/${$}?do=delete`}><${p} name="trash-2" />${s("line.delete")}…<//>`}<//>`}
      ${a&&n`<${Ys} line=${r} then=${U=>{U&&i(s(w?"line.active":"line.renewed",{until:ee(U)}))}} />`}
    </span></td>
  </tr>`}function Vn(e){let t=M({timer:0,touch:!1,done:!1}),o=()=>clearTimeout(t.current.timer),a=()=>{o(),t.current.done||e(),t.current.done=!0};return{onPointerDown:r=>{let l=r.pointerType==="touch";t.current={touch:l,done:!1,timer:l?setTimeout(a,500):0}},onContextMenu:r=>{t.current.touch&&(r.preventDefault(),a())},onPointerUp:o,onPointerCancel:o,onPointerMove:o,onClickCapture:r=>{t.current.done&&(t.current.done=!1,r.preventDefault(),r.stopPropagation())}}}function Gn({id:e}){let t=Zt(e);return n`<span class="owner">${t?s("line.owner-name",{name:t}):s("line.owner-id",{id:e})}</span>`}var mn=()=>`resellerd${ie} started ${ue(k())}`;function un(e){let{messages:t,reading:o}=be(),[a,r]=b(()=>!!le(mn())),i=!k().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(f)&&!a&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some($=>$.activations||$.extensions),c=de(i?"/lines":null,{isTrial:0,limit:1},1),m=Bs("server",t),u=!!e&&(e.lines.trials>0||e.days.some($=>$.trials>0));return{reading:o,known:!i||!o&&!!(c.value||c.problem),takes:i&&c.value?.data.length===0,server:m,tried:u,at:m?u?2:1:0,leave:()=>{re(mn(),"yes"),r(!0)}}}function $n({of:{server:e,tried:t,at:o,leave:a}}){let r=Ae().prices?.find(m=>m.period==="1 month"),l=[!!e,t,!1],i="/lines?show=trials",c=(m,u,$,g)=>{let y=["server","trial","customer"].indexOf(m),w=s("start."+m);return n`<li class=${l[y]?"is-done":y===o?"is-now":""} aria-current=${y===o?"step":void 0} data-step=${m}>
      <span class="step" aria-hidden="true">${l[y]?n`<${p} name="check" />`:y+1}</span>
      <div><h2>${w}${l[y]&&n`<span class="hush"> ${s("start.done")}</span>`}</h2><p class="quiet text">${u}</p>${y===o&&g}</div>
      ${l[y]&&n`<${x} class="button ghost only" to=${$} aria-label=${s("start.change",{step:w})} title=${s("start.change",{step:w})}><${p} name="pencil" /><//>`}</li>`};return n`<section class="panel first-steps"><ol class="steps">
      ${c("server",e||s("start.server-why"),"/messages",n`<${x} class="button primary" to="/messages">${s("start.server-do")}<//>`)}
      ${c("trial",s("start.trial-why"),i,n`<${ge} />`)}
      ${c("customer",r?s("start.customer-costs",{cost:Q(r.credits)}):s("start.customer-why"),"/lines",n`<${x} class="button primary" to=${i}>${s("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${s("start.at",{done:l.filter(Boolean).length,all:l.length})}</span><button type="button" class="button link" data-later onClick=${a}>${s("start.later")}</button></p></section>`}var Xn=24*36e5,Yn=O("Queue",!0),qe=7,Zn=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),Ke=()=>!k().is_admin&&f("users:write");function dn(){let e=q.use().query.get("do"),t=Oe("picked");return e==="extend"&&t&&f("lines:spend")?n`<${He} action="extend" picked=${t} said=${[s("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&Ke()?n`<${eo} />`:n`<${to} />`}function eo(){let e=at(k().id);return n`<${F} title=${s("nav.home")} up="/"><${Ce} of=${e}>${t=>n`<${Ss} account=${k()} alerts=${t} />`}<//><//>`}function to(){let e=!!k().is_admin,t=f("lines:read"),o=f("events:read"),a=!o&&f("ledger:read"),[r]=b(ke),l=G=>new Date(r+G*Xn).toISOString(),i=rn(),c={isTrial:0,effective:"running",expires_after:l(0),expires_before:l(7)},m={isTrial:0,effective:"expired",expires_after:l(-14),sort:"latest_expiry"},u=de(t?"/lines":null,{...c,limit:qe},qe),$=de(t?"/lines":null,{...m,limit:qe},qe),g=de(o?"/events":a?`/users/${k().id}/ledger`:null,o?{limit:5,order:"desc",type:Zn}:{limit:5},5),y=se(f("manage")?"/webhooks":null),w=un(i.value),{takes:C}=w,[_,T]=b(null),h=M(!1);h.current||=[t&&u,t&&$,t&&i,(o||a)&&g,f("manage")&&y].every(G=>!G||G.value||G.problem)&&w.known&&(!Ke()||!w.reading);let v=i.value?.lines.expiring_7d||0,d=i.value?.lines.expired_14d||0,S=t&&v>0&&f("lines:spend"),U=(G,Wn)=>n`<button type="button" class="button" data-queue onClick=${()=>T(G)}><${p} name="message-circle" />${Wn}</button>`;return n`<${F} title=${s(C?"start":"nav.home")} actions=${f("lines:write")&&!(C&&w.at===1)&&n`<${ge} plain=${S||C} />`}>
    ${h.current?n`<${ao} of=${y.value?.data} /><div class="cols">
      ${C?n`<div class="stack"><${$n} of=${w} /></div>`:t&&n`<div class="stack">
        <${ut} title=${v?s("home.soon-n",{n:v,count:E(v)}):s("home.soon")} icon="calendar-clock" of=${u} lines none=${s("home.soon-none")} all="/lines?when=soon&show=official" n=${v}
          actions=${v>0&&n`${S&&n`<button type="button" class="button primary" onClick=${()=>B("extend",{picked:{filter:c}})}>${s("home.renew",{n:v,count:E(v)})}</button>`}
            ${U(c,s("home.remind",{n:v,count:E(v)}))}`} />
        <${ut} title=${d?s("home.past-n",{n:d,count:E(d)}):s("home.past")} icon="user-round-x" of=${$} lines none=${s("home.past-none")} all="/lines?when=past&show=official" n=${d}
          actions=${d>0&&U(m,s("home.win-back"))} />
        <${ln} of=${i} />
      </div>`}
      <div class="stack">
        ${e?n`${f("ledger:read")&&n`<${Us} />`}<${oo} />`:n`<${so} lines=${i.value?.lines} />`}
        ${t&&!C&&n`<${cn} of=${i} />`}
        ${o?n`<${ut} title=${s("home.activity")} of=${g} row=${Os} none=${s("activity.none")} all="/activity" />`:a&&n`<${Ls} of=${g} />`}
      </div>
    </div>`:n`<${Bt} />`}
    ${_&&n`<${Yn} query=${_} onClose=${()=>T(null)} />`}
  <//>`}function so({lines:e}){let t=$e.use(),o=Ft.use(),a=at(k().id),{prices:r}=Ae(),l=r?.find($=>$.period==="1 month"),i=a.value?.balance_low,c=t&&(a.value||a.problem||!f("users:read"))?Xt(t.credits,i,l?.credits):"",m=t&&l?D(t.credits)/D(l.credits):0n,u=i?s("alert.is",{amount:te(i)}):s(a.value?"alert.new":"alert");return n`<section class="panel own">
    <header><h2>${s("home.balance")}</h2>${Ke()&&n`<button type="button" class="button ghost only" aria-label=${u} title=${u} data-alert onClick=${()=>B("alert")}><${p} name="bell" /></button>`}</header>
    <div class="balance-row"><${zt} of=${t} />${Ke()&&n`<${no} balance=${t?.credits} lines=${e} low=${!!c} />`}</div>
    ${!t&&o&&n`<${P} problem=${o} retry=${Rt} />`}
    <p class="stock">${c?n`<span data-low=${c}><${Dt} tone="warn" icon="circle-alert">${s("home.low",{amount:te(c)})}<//></span>`:l&&m>0n?n`<span class="quiet">${s("home.enough",{n:Number(m),count:E(m),period:Ws(l.period)})}</span>`:" "}</p>
  </section>`}function no({balance:e="0",lines:t,low:o}){let{staff:a,username:r}=k(),l=be().messages?.inherited||{},i=t?.expiring_7d||0,c=s(i?"ask.message-soon":"ask.message",{n:i,count:E(i),name:a?s("acts-for",{name:a.username,account:r}):r,balance:Q(e)});return n`<div class=${o?"ask urgent":"ask"}><a class="button" href=${on(l,c)} target="_blank" rel="noopener noreferrer"><${p} name="hand-coins" />${s("ask")}</a>
    ${!l.whatsapp&&!l.telegram&&n`<${fe} text=${c} label=${s("ask.copy")} />`}</div>`}function oo(){let{value:e,problem:t}=se("/service");return t?null:n`<section class="panel service"><h2>${s("home.service")}</h2>
    <${ne} of=${[[s("home.version"),e?e.version:" "],[s("home.store"),e?e.store:" "],[s("home.started"),e?W(e.started_at):" "],[s("home.backup"),e?e.last_backup_at&&W(e.last_backup_at):" "]]} /></section>`}function ao({of:e=[]}){let t=e.filter(o=>!o.enabled&&o.disabled_reason!=="requested");return t.length>0&&n`<${j} tone="unsure"><p><strong>${s("home.still",{n:t.length})}</strong></p>
    ${t.map(o=>n`<p key=${o.id}><${x} to=${"/webhooks/"+o.id}>${Ms(o)}<//> ${Is(o)[0]}</p>`)}<//>`}function ut({title:e,icon:t="",of:o,row:a,lines:r=!1,none:l,all:i,n:c=0,actions:m}){let u=o.value?.next_cursor||!r&&o.value?.data.length?"all":o.value?.data.length>3?"all thumb":"";return n`<section class=${r?"panel task":"panel"}><header><h2>${t&&n`<${p} name=${t} />`}${e}</h2>${m&&n`<div class="buttons">${m}</div>`}</header>
    <${Ce} of=${o}>${({data:$,next_cursor:g})=>n`
      ${$.length?r?n`<table class="table customers few"><tbody>${$.slice(0,qe).map(y=>ze(y))}</tbody></table>`:n`<ul class="rows">${$.slice(0,5).map(y=>n`<li key=${y.id}>${a?.(y)}</li>`)}</ul>`:n`<p class="quiet">${g?s("home.unsure"):l}</p>`}
      ${u&&n`<p class=${u}><${x} to=${i}>${c?s("home.all-n",{n:c,count:E(c)}):s("home.all")}<//></p>`}`}<//>
  </section>`}var pn=({name:e,label:t,value:o,of:a,choose:r,always:l})=>n`<p class="menu-head">${t}</p>
  ${[...l?[]:[["",s("filter.any")]],...a].map(([i,c])=>n`<button key=${i} type="button" aria-pressed=${o===i} data-filter=${e} data-value=${i} onClick=${()=>r(i)}>
    <${p} name=${o===i?"check":""} />${c}</button>`)}`;function fn(e){let{name:t,label:o,value:a,of:r,choose:l}=e,i=r.find(([c])=>c===a)?.[1];return n`<span class="filter-of" data-of=${t}>
    <${K} label=${i?`${o}: ${i}`:o} look=${i?"filter is-set":"filter"} face=${n`${i?n`<span class="what">${o}:</span> ${i}`:o}${!i&&n`<${p} name="chevron-down" />`}`}><${pn} ...${e} /><//>
    ${i&&n`<button type="button" class="filter-x" aria-label=${s("filter.remove",{filter:i})} onClick=${()=>l("")}><${p} name="x" /></button>`}
  </span>`}var Qe=({of:e,children:t})=>n`<span class="filters-all"><${K} label=${s("filter.more")} look="chip" face=${n`<${p} name="list-filter" />${s("filter.more")}`}>
  ${e.map(o=>n`<${pn} key=${o.name} ...${o} />`)}${t}<//></span>`;var ro=e=>Cs(e).map(({name:t,key:o,values:a})=>({name:t,text:s(o,a)})),lo={...Object.fromEntries(ps.map(e=>[e,""])),days:"",sort:""};function hn(){let{query:e}=q.use(),[t,o]=b(!1),a=e.get("do")||"",r=Oe("picked"),l=ys(e,e.get("when")?qt():0,k().id),i=JSON.stringify(l),c=Zs().length>0,m=!!en(i)||t,u=ro(e);if(Object.hasOwn(it,a)&&r&&f(it[a]))return n`<${He} key=${a} action=${a} picked=${r} said=${u.map(({text:d})=>d)} />`;let $={...l,sort:vs(e,l)},g=ks(e),y=ws(e),w=d=>H({sort:d===y?"":d}),C=d=>d.map(S=>[S,s("filter."+S)]),_=[{name:"status",label:s("filter.status"),value:gs(e),of:C(ds)},{name:"show",label:s("filter.show"),value:e.get("show")||"",of:C(["official","trials"])},{name:"when",label:s("filter.when"),value:e.get("when")||"",of:[["soon",s("filter.soon",{n:bs(e)})],["past",s("filter.past")]]},...I.haveBelow()?[{name:"mine",label:s("filter.whose"),value:e.get("mine")||"",of:[["1",s("filter.mine")]]}]:[],{name:"sort",label:s("sort"),value:g,always:!0,of:[y,...["newest","expiry","latest_expiry","username"].filter(d=>d!==y)].map(d=>[d,s("sort."+d)])}].map(d=>({...d,choose:S=>d.name==="sort"?w(S):H({[d.name]:S,...d.name==="when"&&{days:""}})})),T=u.filter(({name:d})=>!_.some(S=>S.name===d&&S.value)),h=n`<tr>
    ${c&&n`<th class="pick"><${sn} filter=${i} /></th>`}
    <${Je} name="name" label=${s("customer")} orders=${[["username","ascending"]]} order=${g} choose=${w} />
    <th class="st">${s("filter.status")}</th>
    <${Je} name="expiry" label=${s("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${g} choose=${w} />
    <th class="phone">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`,v=()=>{Be.set(null),o(!1)};return n`<${F} title=${s("nav.lines")} actions=${n`<${mt} query=${$} />
      ${c&&n`<button type="button" class="button ghost only thumb" aria-label=${s("select.some")} title=${s("select.some")} aria-pressed=${m} onClick=${()=>m?v():o(!0)}><${p} name="square-check" /></button>`}
      ${f("lines:write")&&n`<${ge} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${s("chips")}><${Qe} of=${_}><hr /><${mt} query=${$} look="" /><//><${io} query=${e} /></nav>
      ${m?n`<${nn} filter=${i} query=${l} listed=${$} leave=${v} />`:n`<div class="list-bar">${_.map(d=>d.name!=="sort"&&n`<${fn} key=${d.name} ...${d} />`)}
          ${T.map(({name:d,text:S})=>n`<button key=${d} type="button" class="chip is-on" aria-label=${s("filter.remove",{filter:S})} onClick=${()=>H({[d]:""})}>${S}<${p} name="x" /></button>`)}
          ${u.length>0&&n`<button type="button" class="button link" onClick=${()=>H(lo)}>${s("filter.clear")}</button>`}</div>`}
      <${Le} path="/lines" query=${$} label=${s("nav.lines")} head=${h} look="customers" count=${us} empty=${u.length?s("lines.none-such"):s("lines.none")}
        row=${d=>ze(d,c?i:void 0)} />
    </div>
  <//>`}function Je({name:e,label:t,orders:o,order:a,choose:r}){let l=o.findIndex(([c])=>c===a),i=o[l]?.[1];return n`<th class=${e} scope="col" aria-sort=${i}><button type="button" class="sort" onClick=${()=>r(o[(l+1)%o.length][0])}>${t}<${p} name=${i?i==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function io({query:e}){let t=Ne.use(),o=se("/reports/summary",{days:1,...xs(e,k().id,I.haveBelow())}),[a]=b(t);R(()=>{t!==a&&o.reload()},[t]);let r=o.value?.lines,l=hs(e),i=!["status","show","when"].some(m=>e.get(m)),c=(m,u,$,g)=>n`<a key=${m} href=${_e("/lines?"+new URLSearchParams($))} aria-current=${u?"page":void 0} data-tab=${m}
    onClick=${y=>{y.preventDefault(),H({...$,days:""})}}>${s("tabs."+m)}${g!==void 0&&n` <b>${E(g)}${r?.capped?"+":""}</b>`}</a>`;return n`${c("all",i,{status:"",show:"",when:""},void 0)}
    ${Object.entries(fs).map(([m,[u,$]])=>c(m,m===l,$,r?.[u]))}`}function bn({text:e,onClose:t}){let[o,a]=b({side:1,path:""}),r=()=>{import("./qr.js").then(({modules:l,pathOf:i})=>{let c=l(e);a(c&&{side:c.length+8,path:i(c)})},()=>a(new ve("no-answer")))};return R(r,[]),n`<${he} look="dialog" title=${s("line.qr")} onClose=${t}>
    ${o instanceof ve?n`<${P} problem=${o} retry=${r} />`:o?n`<svg class="qr" viewBox="0 0 ${o.side} ${o.side}" role="img" aria-label=${s("line.qr")}><path d=${o.path} /></svg><p class="quiet">${s("line.qr-meaning")}</p>`:n`<p>${s("line.qr-long")}</p>`}
  <//>`}function yn({id:e}){let{query:t}=q.use(),o=Nt(`/lines/${e}`,!0),a=o.value,{reading:r}=be(),l=M(()=>{});return n`<${F} title=${a?.username||s("line.title")} named=${a} up="/lines" below=${a&&n`<${co} line=${a} />`}
    actions=${a&&n`<${mo} line=${a} stop=${()=>l.current()} />`}>
    <${Ce} of=${r&&a?{loading:!0}:o}>${i=>n`<${ko} key=${i.updatedAt} line=${i} changed=${o.set} act=${l} />
      <${$o} line=${i} doing=${t.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function co({line:e}){let{expDate:t}=e,o=!Te(t);return n`<p class="glance"><${Ee} line=${e} badge /> <span>${s(Date.parse(t)>ke()?"line.ends":"line.ended")}${" "}
    <time datetime=${t} title=${W(t)}><b>${o?Fe(t):`${ee(t)}, ${Lt(t)}`}</b>${!o&&n` <span class="quiet">${Pt(t)}</span>`}</time></span></p>`}function mo({line:{username:e,isTrial:t,suspended:o},stop:a}){let r=f("lines:write"),l=s("line.edit");return n`${f("lines:spend")&&n`<${uo} name=${t?"activate":"extend"} />`}
    ${r&&n`<button type="button" class="button" aria-label=${l} onClick=${()=>B("edit")}><${p} name="pencil" /><span class="wide-only">${l}</span></button>`}
    ${(r||f("lines:delete"))&&n`<${K} label=${s("more-about",{name:e})} look="button only">
      ${r&&n`<button type="button" onClick=${a}><${p} name=${o?"play":"circle-pause"} />${s(o?"line.resume":"line.suspend")}</button>`}
      ${f("lines:delete")&&n`<hr /><button type="button" class="bad" onClick=${()=>B("delete")}><${p} name="trash-2" />${s("line.delete")}…</button>`}<//>`}`}function uo({name:e}){let t=Qs();return n`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!t} onClick=${()=>B(e)}>
    ${t?s(e==="extend"?"line.renew-for":"line.activate-for",{cost:Q(t)}):s("line."+e)}</button>`}function $o({line:e,doing:t,changed:o}){let a=Js(e),r=!e.isTrial,l=f("lines:spend"),i=f("lines:write"),c={activate:!r&&l&&gn,extend:r&&l&&gn,edit:i&&wo,suspend:i&&vo,resume:i&&xo,delete:f("lines:delete")&&Co},m=Object.hasOwn(c,t)&&c[t];return n`
    ${/suspended|blocked/.test(e.effective||"")&&n`<${j}><p>${s(`line.${e.effective}-means`)}</p><${wn} line=${e} />
      ${i&&e.suspended&&n`<button type="button" class="button" onClick=${()=>B("suspend")}><${p} name="pencil" />${s("reason")}</button>`}<//>`}
    <div class="cols person">
      <${fo} line=${e} />
      <div class="stack"><${ho} line=${e} payer=${a} /></div>
      <${po} line=${e} />
    </div>
    ${m&&n`<${m} key=${t} line=${e} payer=${a} changed=${o} />`}`}function po({line:{id:e,updatedAt:t}}){let o=_s({line:e}),a=M(t);return R(()=>{a.current!==t&&o.reload(),a.current=t},[t]),n`<${Ts} of=${{line:e}} latest=${o} />`}function fo({line:e}){let[t,o]=b(""),[a,r]=b(!1),l=t||Ns(e,ke()),i=Hs(l,e),c=Me(e.whatsapp,e.country),m=Ue(e.telegram),u=m?s("line.telegram-to",{name:"@"+m}):s("line.telegram"),$={target:"_blank",rel:"noopener noreferrer"};return n`<section class="panel sending">
    <h2>${s("line.access")}</h2>
    <fieldset class="choice few short"><legend class="hush">${s("line.message")}</legend>
      ${As.map(g=>n`<label key=${g}><input type="radio" name="message" value=${g} checked=${g===l} onChange=${()=>o(g)} /><span>${s("messages."+g)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${l}>${i}</p>
    <div class="buttons">
      <a class="button send" href=${Ie(c,i)} ...${$}><${p} name="message-circle" />${c?n`<span><span class="wide-only">${s("line.send-by")} </span>WhatsApp ${rs(c)}</span>`:s("line.whatsapp")}</a>
      <${fe} text=${i} label=${s("line.copy")} look="button only" />
      <a class="button only" href=${We(m,i)} ...${$} aria-label=${u} title=${u}><${p} name="send" /></a>
      <button type="button" class="button only" aria-label=${s("line.qr")} title=${s("line.qr")} aria-haspopup="dialog" onClick=${()=>r(!0)}><${p} name="qr-code" /></button>
    </div>
    ${e.whatsapp&&!c&&n`<p class="quiet">${s("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
    ${a&&n`<${bn} text=${i} onClose=${()=>r(!1)} />`}
  </section>`}function ho({line:e,payer:t}){let o=e.owner===k().id?null:t?.username||s("reseller.by-id",{id:e.owner});return n`<section class="panel">
      <h2>${s("line.title")}</h2>
      <${ne} of=${[[s("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${fe} text=${e.username} label=${s("line.copy-name")} /></span>`],[s("password"),n`<${bo} of=${e.password} />`],[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),It(e.country)],[s("line.since"),Et(e.createdAt)],[s("line.owner"),o&&(I.seeResellers()?n`<${x} to=${"/resellers/"+e.owner}>${o}<//>`:o)],[s("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[s("line.external-id"),e.external_id]]} />
      <details><summary>${s("line.more")}</summary>
        <${ne} of=${[[s("line.platform"),e.idPlatform],[s("line.id"),e.id],[s("changed"),W(e.updatedAt)]]} /></details>
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${s("line.metadata")}</h2>
      <${ne} of=${Object.entries(e.metadata).map(([a,r])=>[n`<span class="name" translate=${!1}>${a.split(/(?<=_)/).map(l=>n`${l}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${r||"—"}</span>`])} />
    </section>`}`}function bo({of:e}){let[t,o]=b(!1),a=s("password.show");return e===null?n`<span class="quiet">${s("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${t?e:"••••••"}</code>
    <button type="button" class="button ghost only" aria-label=${a} title=${a} aria-pressed=${t} onClick=${()=>o(!t)}><${p} name="eye" /></button>
    <${fe} text=${e} label=${s("line.copy-password")} /></span>`}function gn({line:e,payer:t,changed:o}){let a=()=>L();return n`<${Xs} line=${e} onClose=${a}>
    <${e.isTrial?Gs:Vs} line=${e} payer=${t} onClose=${a} then=${(r,l)=>{o(r),L(N(s(e.isTrial?"line.activated":"line.extended",{name:r.username,until:W(r.expDate)}),{payer:e.owner,key:l}))}} />
  <//>`}var go=e=>Object.entries(e||{}).map(([t,o])=>`${t}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function yo(e){let t=new Map,o="",a="";for(let r of e.split(`
`))if(t.size&&r.startsWith("  "))t.set(o,t.get(o)+`
`+r.slice(2));else if(r.trim()){let[,l="",i=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!l||t.has(l))&&(a||=s("line.metadata.row",{row:r})),t.set(o=l,i)}return{metadata:t.size?Object.fromEntries(t):null,wrong:a}}function wo({line:e,changed:t}){let[o]=b(e),a=s("line.edit-title",{name:e.username}),r={username:o.username,password:o.password||"",country:o.country,whatsapp:o.whatsapp||"",telegram:o.telegram||"",email:o.email||"",notes:o.notes||"",external_id:o.external_id||"",metadata:go(o.metadata||null)},l=J({name:"edit "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:a,fields:r}),{answer:i,fields:c}=l,{metadata:m,wrong:u}=yo(c.metadata),[$,g]=b(l.restored);oe(l,()=>{t(i),L(N(s("line.edited",{name:i.username})))});let y=()=>{let w=T=>({...De(T),username:Z(T.username),password:T.password,external_id:T.external_id.trim()||null}),C=w(r),_=Object.fromEntries(Object.entries(w(c)).filter(([T,h])=>h!==C[T]));if(c.metadata!==r.metadata&&(_.metadata=m),Object.keys(_).length)return l.send(_);l.cancel(),L()};return n`<${he} title=${a} onClose=${()=>L()}>
    <${pe} form=${l} submit=${s("save")} unclear=${!!u} onClose=${()=>L()} onSubmit=${y}>
      ${!o.isTrial&&n`<fieldset class="group"><legend>${s("messages.access")}</legend><${qs} form=${l} required=${o.password!==null} /></fieldset>`}
      <fieldset class="group"><legend>${s("line.contact")}</legend><${je} form=${l} /></fieldset>
      <${Ht} title=${s("line.more")} form=${l} names=${["external_id","metadata"]} open=${!!u}>
        <${A} form=${l} name="external_id" label=${s("line.external-id")} hint=${s("line.external-id.hint")} maxlength="64" />
        <${A} form=${l} name="metadata" label=${s("line.metadata")} hint=${s("line.metadata.hint")} wrong=${$&&u} kind="textarea"
          rows=${Math.min(c.metadata.split(`
`).length+3,21)} onBlur=${()=>g(!0)} />
      <//>
    <//>
  <//>`}var wn=({line:{suspension_reason:e}})=>e&&n`<${ne} of=${[[s("reason"),n`<span class="text">${e}</span>`]]} />`,Ve=({id:e,username:t},o,a="")=>({name:`${o}${a} ${e}`,method:o==="suspend"?"PUT":"DELETE",path:`/lines/${e}/suspension`,title:s(`line.${o}-title`,{name:t})});function kn(e,t){let o=e.username,a=t==="suspend"?"resume":"suspend";return e.suspended&&t==="suspend"?N(s("line.edited",{name:o})):N(s(`line.${t}-done`,{name:o}),{undo:{...Ve(e,a," again"),body:a==="suspend"?{reason:e.suspension_reason||""}:void 0,said:s(`line.${a}-done`,{name:o})}})}function ko({line:e,changed:t,act:o}){let a=e.suspended?"resume":"suspend",r=J({...Ve(e,a," now"),fields:{}});return o.current=()=>r.send(a==="suspend"?{}:void 0),oe(r,()=>{X(kn(e,a)),t(r.answer)}),r.state==="unknown"?n`<${Re} form=${r} />`:r.state==="refused"&&r.problem&&n`<${P} problem=${r.problem} />`}function vo({line:e,changed:t}){let o=J({...Ve(e,"suspend"),fields:{reason:e.suspension_reason||""}});return n`<${vn} form=${o} line=${e} changed=${t} does="suspend"><p>${s("line.suspended-means")}</p><${Rs} form=${o} name=${e.username} /><//>`}function xo({line:e,changed:t}){let o=J({...Ve(e,"resume"),fields:{}});return n`<${vn} form=${o} line=${e} changed=${t} does="resume"><p>${s("line.resume-meaning")}</p><${wn} line=${e} /><//>`}function vn({form:e,line:t,changed:o,does:a,children:r}){let[l]=b(t);return oe(e,()=>{o(e.answer),L(kn(l,a))}),n`<${he} title=${s(`line.${a}-title`,{name:t.username})} onClose=${()=>L()}>
    <${pe} form=${e} danger=${a==="suspend"} submit=${s("line."+a)} onSubmit=${()=>e.send(a==="suspend"?e.fields:void 0)} onClose=${()=>L()}>${r}<//>
  <//>`}function Co({line:e}){let t=s("line.delete-title",{name:e.username}),o=J({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:t,fields:{typed:""},secret:["typed"]});return oe(o,()=>Ct("/lines",N(s("line.deleted",{name:e.username})))),n`<${he} look="dialog" title=${t} onClose=${()=>L()}>
    <${pe} form=${o} danger submit=${s("line.delete")} ready=${Z(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>L()}>
      <p>${s("line.delete-meaning")}</p>
      <${A} form=${o} name="typed" label=${s("line.delete-type",{name:e.username})} autofocus required />
    <//>
  <//>`}function xn({name:e,label:t}){let o=q.use().query.get(e)||"",[a,r]=b(o),l=M(0);return R(()=>{l.current||r(o)},[o]),R(()=>()=>clearTimeout(l.current),[]),n`<label class="search"><${p} name="search" />
    <input type="search" value=${a} onInput=${c=>{let m=c.target.value;r(m),clearTimeout(l.current),l.current=setTimeout(()=>{l.current=0,H({[e]:Z(m)})},250)}} aria-label=${t} placeholder=${t} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var So=500,Cn={low:e=>!!is(e),blocked:e=>!e.active_tree},Sn=({credits:e},{credits:t})=>D(e)<D(t)?-1:+(D(e)>D(t)),qn=["balance","-balance"];function On(e){let t=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?t.set(o,a):t.delete(o);St({},t.size?"?"+t:""),q.set({...q.get(),query:t})}function _n(){let{query:e}=q.use(),[t,o]=b(null);if(e.get("do")==="create"&&I.createResellers())return n`<${qo} />`;let a=e.get("q"),r=!!e.get("all")||!!a,l=t!==!1&&e.get("view")||"",i=t!==!1&&qn.find(h=>h===e.get("sort"))||"",c=r?{q:a}:{master:k().id},m=(h,v)=>h.filter(d=>d.id!==k().id&&Cn[v]?.(d)!==!1),u=h=>t&&!a&&m(t,h).length,$=h=>{let v=m(h,l);return i?v.sort((d,S)=>i==="balance"?Sn(d,S):Sn(S,d)):v},g=(h,v,d,S)=>n`<a key=${h} href=${_e("/resellers?"+new URLSearchParams(d))} aria-current=${v?"page":void 0} data-tab=${h}
    onClick=${U=>{U.preventDefault(),(d.all?r&&!a:!r)?On({view:d.view||""}):H({q:"",all:"",view:"",...d})}}>${s("resellers."+h)}${typeof S=="number"&&n` <b>${E(S)}</b>`}</a>`,y={name:"sort",label:s("sort"),value:i,always:!0,of:["",...qn].map(h=>[h,s("sort."+(h||"oldest"))]),choose:h=>On({sort:h})},w=t?n`<${Je} name="num bal" label=${s("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${i} choose=${y.choose} />`:n`<th class="num bal">${s("balance")}</th>`,[C,..._]=s("reseller.new").split(" "),T=n`<tr><th class="name">${s("reseller.title")}</th>${w}<th class="sit">${s("filter.status")}</th><th class="last">${s("reseller.recharged")}</th>
    <th class="tel">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`;return n`<${F} title=${s("nav.resellers")} actions=${n`<${ct} of="users" query=${c} />
      ${I.createResellers()&&n`<button type="button" class="button primary" onClick=${()=>B("create")}><${p} name="plus" /><span>${C}<span class="words"> ${_.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${s("chips")}><${Qe} of=${t?[y]:[]}><hr /><${ct} of="users" query=${c} look="" /><//>
        ${g("direct",!r&&!l,{},!r&&u(""))}
        ${t!==!1&&Object.keys(Cn).map(h=>g(h,l===h,{view:h,...e.get("all")&&{all:"1"}},u(h)))}
        ${g("all",r&&!l,{all:"1"},r&&u(""))}</nav>
      <div class="filters" role="search"><${xn} name="q" label=${s("resellers.search")} /></div>
      <${Le} path="/users" query=${c} row=${cs} label=${s("nav.resellers")} head=${T} look="resellers" size=${So} arrange=${$} told=${o}
        count=${h=>s("resellers.count",{n:h,count:E(h)})} empty=${s(a||l?"resellers.none-such":"resellers.none")} />
    </div>
    <${as} then=${X} />
  <//>`}function qo(){let e=$e.use(),t=J({name:"create",method:"POST",path:"/users",title:s("reseller.new"),secret:["password"],fields:{username:"",password:Es(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:Y.get()}}),o={...t.fields,country:t.fields.country??e?.country??""},a={...t,fields:o},{answer:r}=a,l=ss(o.credits,!0),i=a.frozen?a.said().credits:l.amount;oe(a,()=>{let m=r.credits!=="0";Fs.set({of:"reseller "+r.id,secret:o.password}),ce("/resellers/"+r.id,{replace:!0,state:N(s("reseller.created",{name:r.username}),m?{payer:r.id,key:a.key}:{})})});let c=()=>a.send({username:o.username,password:o.password,is_master:o.is_master,credits:i,language:o.language,...De(o)});return n`<${F} title=${s("reseller.new")} up="/resellers"><section class="panel">
    <${pe} form=${a} submit=${i&&D(i)>0n?s("reseller.create-amount",{amount:Q(i)}):s("reseller.create")} unclear=${!!l.wrong} onSubmit=${c} onClose=${()=>L()}>
      <${A} form=${a} name="username" label=${s("username")} maxlength="64" required />
      <${A} form=${a} name="password" label=${s("password")} hint=${s("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!o.is_master} disabled=${a.frozen}
        onChange=${m=>a.set({is_master:m.target.checked?1:0})} />${s("reseller.is-master")}</label>
      ${f("credits:move")&&n`<${ns} form=${a} typed=${l} label=${s("reseller.first-credits")} hint=${s(k().is_admin?"amount.issued":"amount.own")} />`}
      <${je} form=${a} />
      <${A} form=${a} name="language" label=${s("language")} kind="select">
        ${Object.entries(xe).map(([m,u])=>n`<option key=${m} value=${m} lang=${m}>${u}</option>`)}<//>
    <//>
  </section><//>`}var Tn=[["/",dn],["/lines",hn],["/lines/:id",yn],["/jobs",O("Jobs")],["/jobs/:id",O("Job")],["/resellers",_n],["/resellers/:id",O("Reseller")],["/statement",O("Statement")],["/activity",O("Activity")],["/webhooks",O("Webhooks")],["/webhooks/:id",O("OneWebhook")],["/keys",O("Keys")],["/keys/:id",O("OneKey")],["/staff",O("Staff")],["/staff/:id",O("Member")],["/messages",O("Messages")],["/sessions",O("Sessions")],["/proof",O("Proof")],["/prices",O("Prices")]];var $t=`resellerd${ie} theme`,Fn=matchMedia("(prefers-color-scheme: dark)"),Rn=["device","light","dark"],Ge=we(le($t)||"device");function En(e){e==="device"?localStorage.removeItem($t):re($t,e),Ge.set(e),Ln()}function Ln(){let e=Ge.get();document.documentElement.dataset.theme=e==="device"?Fn.matches?"dark":"light":e}Fn.addEventListener("change",Ln);var dt=`resellerd${ie} keys off`,pt=we(!le(dt)),V=we(!1);function Oo(e){e?localStorage.removeItem(dt):re(dt,"yes"),pt.set(e)}function Pn(e){let t=document.querySelector("[data-search]");!(t instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),t.focus(),t.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&Pn(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let t=e.target instanceof HTMLElement?e.target:document.body,o=t.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!V.get()){o?t.blur():q.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&L();return}if(!(o||!pt.get()||V.get())){if(e.key==="/")Pn(e);else if(e.key==="x")(t.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(t.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),V.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(i=>i===t||(i.closest("tr")||i.previousElementSibling)?.contains(t)),l=r>=0?r+(e.key==="j"?1:-1):a.findIndex(i=>i.getBoundingClientRect().top>=0);if(!a[l])return;e.preventDefault(),a[l].focus(),a[l].scrollIntoView({block:"nearest"})}}});var _o=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function Mn(){let e=M(null),t=V.use(),o=pt.use();return R(()=>{t?e.current?.showModal():e.current?.close()},[t]),n`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>V.set(!1)}>
    <h2 id="keys">${s("keys.title")}</h2>
    <dl class="facts">${_o.map(([a,r])=>n`<div key=${a}><dt>${a.split(" ").map(l=>n`<kbd>${l}</kbd> `)}</dt><dd>${s("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${o} onChange=${a=>Oo(a.target.checked)} />${s("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>V.set(!1)}>${s("close")}</button></div>
  </dialog>`}var ft=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",I.haveBelow],["/statement","receipt-text","ledger:read"]],ht={business:[["/prices","tag","",()=>!!k().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!k().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},Xe=([,,e,t])=>f(e)&&t?.()!==!1,bt=e=>s("nav."+(e.slice(1)||"home"));function jn({children:e}){let{path:t}=q.use(),o=es.use(),[a,r]=b(!1),l=Qt(a,()=>r(!1)),i="/"+t.split("/")[1],c=To(),m=([u,$])=>n`<${x} key=${u} to=${u} title=${bt(u)} aria-current=${u===i?"page":void 0}>
    <${p} name=${$} /><span>${bt(u)}</span><//>`;return n`
    <a class="skip" href="#main">${s("skip")}</a>
    <nav class="places" aria-label=${s("nav")}>
      <${x} to="/" class="brand" translate=${!1}><${Ye} /><span class="clip">${z}</span><//>
      ${ft.filter(Xe).map(m)}
      <div class="rest" ref=${l}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${p} name="menu" /><span>${s("nav.more")}</span></button>
        ${a&&n`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${u=>{u.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${In} /></span></div>
          ${Object.entries(ht).map(([u,$])=>$.some(Xe)&&n`<div key=${u} class=${"group "+u}><p class="group-name">${s("nav.group."+u)}</p>${$.filter(Xe).map(m)}</div>`)}
          <div class="narrow"><${Ze} /><${et} /></div>
        </div>
      </div>
      <${$s} />
    </nav>
    <header class="top" data-who=${c}>
      <${x} to="/" class="start" aria-label=${z}><${Ye} /><//>
      <${Ro} />
      <${In} link />
      <${K} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${x} to="/sessions"><${p} name="shield-check" />${s("nav.sessions")}<//>
        <${Ze} />
        <button type="button" onClick=${()=>V.set(!0)}><${p} name="keyboard" />${s("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${et} />
      <//>
    </header>
    <${At} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${o.map(u=>n`<${Eo} key=${u.id} sent=${u} />`)}<${os} />
      </div>
      ${[...ft,...Object.values(ht).flat()].every(([u,,$])=>u!==i||f($))?e:n`<${F} title=${s("nav."+i.slice(1))}><${j}><p>${s("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${Mn} /><${Kt} />`}function To(){let{staff:e,username:t}=k();return e?s("acts-for",{name:e.username,account:t}):t}var Fo=O("Palette",!0);function Ro(){let[e,t]=b(!1);return n`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>t(!0)}>
    <${p} name="search" /><span class="clip">${s("search")}${f("lines:read")&&n` <span class="desk">${s("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&n`<${Fo} places=${[...ft,...Object.values(ht).flat()].filter(Xe).map(([o,a])=>[o,a,bt(o)])} close=${()=>t(!1)} />`}`}function In({link:e=!1}){let t=$e.use();if(!t||t.is_admin)return null;if(!e)return n`<span class="quiet"><${Ut} of=${t.credits} /></span>`;let o=n`<${p} name="coins" /><${Wt} of=${t.credits} />`;return f("ledger:read")?n`<${x} to="/statement" class="balance">${o}<//>`:n`<span class="balance">${o}</span>`}function Eo({sent:e}){let t=ts(e),o=t.state.use(),[a,r]=b(!1),{path:l}=q.use(),i=e.place&&e.place!==l+location.search;if(R(()=>{r(!1);let m=setTimeout(()=>r(!0),e.place&&!i?5e3:700);return()=>clearTimeout(m)},[i]),R(()=>t.state.watch(()=>{let m=t.state.get();m==="done"&&!e.place&&X(N(s("form.settled",{title:e.title}),{payer:e.payer,key:t.kept.key})),t.problem&&(m==="refused"||m==="over")&&(t.drop(),X(N(s("form.not-done",{title:e.title,why:jt(t.problem).text}),{tone:"bad"})))}),[]),!a)return null;let c={problem:t.problem,pays:!!e.payer,tooOld:t.tooOld(),again:()=>t.again(),discard:()=>t.drop()};return n`<div class="toast" data-form=${o}><p>${s("form.pending",{title:e.title})}</p>
    ${i?n`<div class="buttons"><${x} class="button primary" to=${e.place}>${s("form.back")}<//></div>`:o==="sending"?n`<p role="status">${s("form.sending")}</p>`:n`<${Re} form=${c} />`}</div>`}var Ye=()=>nt?n`<img class="own-logo" src=${nt} alt="" />`:n`<span class="logo" aria-hidden="true">${z[0]}</span>`,Dn=()=>n`<p class="langs">${Object.entries(xe).map(([e,t])=>n`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${Y.get()===e}
  onClick=${()=>st(e).catch(()=>location.reload())}>${t.replace(/ \(.*/,"")}</button>`)}</p>`;function Ze(){let[e,t]=b(null),o=a=>{t(null),st(a).catch(t)};return n`<${ot} icon="sun-moon" label=${s("theme")} value=${Ge.use()} choose=${En} of=${Rn.map(a=>[a,s("theme."+a)])} />
  <${ot} key=${!!e} icon="languages" label=${s("language")} value=${Y.get()} choose=${o} of=${Object.entries(xe)} />
  ${e&&n`<div class="toasts"><div class="toast"><div><${P} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function et({look:e=""}){let[t,o]=b(null),a=()=>Tt().then(()=>ce("/",{replace:!0}),o);return n`<button type="button" class=${e} onClick=${a}><${p} name="log-out" />${s("sign-out")}</button>
    ${t&&me.get().is!=="out"&&n`<${P} problem=${t} retry=${a} />`}`}function An({ended:e,dropped:t}){let[o,a]=b({username:"",password:"",totp:""}),[r,l]=b(!1),[i,c]=b(null),[m,u]=b(!1);R(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),R(()=>{let C=i&&document.getElementsByName(r?"totp":"password")[0];C instanceof HTMLInputElement&&(C.focus(),C.select())},[i]);let $=async C=>{if(C.preventDefault(),m)return;u(!0),c(null);let{totp:_,...T}={...o,username:Z(o.username)};try{await _t(r?{...T,totp:js(_)}:T)}catch(h){h.code!=="totp-required"?c(r&&h.code==="invalid-credentials"?new ve("wrong-code"):h):l(!0),u(!1)}},g=()=>{a({...o,password:"",totp:""}),c(null),l(!1)},w={fields:o,frozen:m,problem:i,set:C=>{r&&c(null),a(_=>({..._,...C}))}};return n`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${Ye} />${z}</p><${F} title=${s("sign-in")}>
    ${e&&n`<${j} tone=${t?"bad":"unsure"}><p>${s(t?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&n`<${j} tone="bad"><p>${s("sign-in.insecure")}</p><//>`}
    <form onSubmit=${$} aria-busy=${m}>
      ${r?n`<p>${s("sign-in.code",{name:o.username})}</p><${Ds} form=${w} name="totp" recovery />`:n`<${A} form=${w} name="username" label=${s("username")} autocomplete="username" maxlength="64" required />
          <${A} form=${w} name="password" label=${s("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${i&&n`<${P} problem=${i} />`}
      <button type="submit" class="button primary wide tall" disabled=${m||!isSecureContext}>${s(m?"form.sending":"sign-in")}</button>
      ${r?n`<button type="button" class="button wide" onClick=${g}>${s("back")}</button>`:n`<p class="quiet small help">${s("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${Dn} /></main>`}var gt=new WeakSet,ye=new Map,yt=new MutationObserver(Nn);function Nn(e){for(let{target:t,addedNodes:o,removedNodes:a,previousSibling:r,nextSibling:l}of e){let i=t;for(;i&&!gt.has(i);)i=i.parentNode;if(i)continue;for(let u of o)u instanceof Text||gt.add(u);let c=[...o,r,l].filter(u=>u&&gt.has(u)),m=c.find(u=>!ye.has(u))||c[0];if(m)for(let u of a)u instanceof Text&&ye.set(m,[...ye.get(m)||[],u])}}function Lo(e){Nn(yt.takeRecords());let t=[...ye].filter(([o])=>o.parentNode).map(([o,a])=>({stand:o,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));ye.clear();for(let{stand:o,texts:a}of t)o.replaceWith(...a);try{e()}finally{for(let{stand:o,texts:a,was:r,apart:l}of t)if(!(!l||!a.every((i,c)=>i.parentNode&&i.data===r[c]&&(!c||i.previousSibling===a[c-1])))){a[0].before(o);for(let i of a)i.remove();ye.set(o,a)}yt.takeRecords()}}kt.debounceRendering=e=>queueMicrotask(()=>Lo(e));var Bn=()=>yt.observe(document.body,{childList:!0,subtree:!0});var ae=[];addEventListener("focusin",e=>{ae=[];for(let t=e.target;t instanceof Element;t=t.parentElement)ae.push(t)});addEventListener("focusout",()=>{let[e]=ae;queueMicrotask(()=>{e&&e===ae[0]&&e!==document.activeElement&&wt(e)&&document.hasFocus()&&(ae=[])})});var wt=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),Hn=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function Po(){let[e]=ae,t=document.activeElement;if(!e||e===document.body||t!==e&&t!==document.body)return;if(wt(e)){t!==e&&Hn(e);return}if(e.isConnected&&e.matches(":disabled"))return;let o=ae.find(l=>l.isConnected),a=o?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(wt);Hn(r||o?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(Po).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function Mo(){let{path:e}=q.use(),t=me.use();Y.use();let[o]=xt(r=>setTimeout(()=>{throw r}));if(o)return n`<main class="alone"><${F} title=${z}><${j} tone="bad"><p>${s("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${p} name="rotate-cw" />${s("load-again")}</button><//><//></main>`;switch(t.is){case"starting":return null;case"failed":return n`<main class="alone"><${F} title=${z}>
        <${P} problem=${t.problem} retry=${tt} />
        <div class="settings"><${Ze} /></div><//></main>`;case"blocked":return n`<main class="alone"><${F} title=${s("blocked.title")}>
        <${j} tone="bad"><p>${s("problem.account-blocked")}</p><//><div class="buttons"><${et} look="button" /></div><//></main>`;case"out":return n`<${An} ended=${t.ended} dropped=${t.dropped} />`}if(e==="/sign-in")return ce("/",{replace:!0}),null;let a=Ot(Tn,e);return n`<${jn} key=${ue(t.who)}>
    ${a?n`<${a.screen} key=${e} id=${a.id} />`:n`<${F} title=${s("nowhere")}><p><${x} to="/">${s("nav.home")}<//></p><//>`}
  <//>`}function Io(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var Un="";me.watch(()=>{let e=me.get();!("who"in e)||ue(e.who)===Un||(Un=ue(e.who),Jt(),ls(),Yt(),ms.set(null),Be.set(null),Io(),setTimeout(()=>Ks().catch(()=>null),2e3))});document.documentElement.dataset.blocked||tt().then(()=>{document.querySelector(".before")?.remove(),vt(n`<${Mo} />`,document.body),Bn()});
//# sourceMappingURL=app.js.map
