import{$ as Tt,$a as Xt,$b as Os,$c as ot,A as be,Aa as F,B as N,Ba as Ye,Bc as Ds,C as Oe,D as x,Da as Y,Db as cs,Dc as $e,E as St,Ea as jt,Eb as ms,Ec as js,F as ge,Fa as Ze,Fb as us,G as V,Ga as At,Gb as ds,Gc as As,H as t,Ha as Nt,Hb as $s,Ia as Bt,Ib as ps,Ic as Ns,J as le,Ja as ve,Jb as fs,Jc as Ie,K as w,Ka as Ht,Kb as hs,Kc as Bs,L as ce,La as Ut,Lb as bs,Lc as Hs,M as me,Ma as ke,Mb as gs,Mc as st,N as Ve,Na as Z,Nb as ys,Nc as xe,O as Ct,Oa as et,Ob as ws,P as qt,Pa as Wt,Pb as vs,Q as Ot,Qa as ee,Qb as tt,Qc as pe,R as _t,Ra as zt,Rb as ks,S as Ge,Sa as _e,Sb as Ee,Sc as Us,T as h,Ta as Te,Tb as Le,Tc as Ws,U as B,Ua as Kt,Ub as xs,Uc as O,V as ue,Va as Qt,Vb as Ss,Vc as nt,Wa as Jt,Wb as Cs,Wc as Me,X as H,Xa as Vt,Xc as zs,Ya as Gt,Yb as qs,Yc as Ks,Za as te,Zc as Qs,_ as ye,_a as se,_c as Js,a as bt,aa as Ft,ab as Yt,ac as _s,ad as Vs,b as gt,bb as Zt,bc as Ts,bd as Pe,c as y,cb as es,cd as Gs,d as L,da as T,db as P,dd as Xs,ea as Rt,eb as ts,ed as at,f as A,fa as G,fd as rt,g as yt,ha as K,hc as Fs,hd as Ys,i as n,ia as D,ic as Rs,id as Zs,j as he,jb as ss,jd as De,k as oe,ka as Et,l as ae,la as Lt,lb as Fe,lc as Es,m as Ce,ma as W,mb as ns,n as re,na as Xe,nb as Re,o as wt,oa as p,ob as os,pa as _,pb as as,pc as Ls,qa as M,qb as rs,ra as It,s as q,t as ie,ta as j,u as vt,ua as X,v as z,va as Mt,vc as Is,w as E,wa as de,wb as is,wc as Ms,x as qe,xa as Pt,y as kt,ya as we,z as xt,za as Dt,zb as ls,zc as Ps}from"./chunk.js";var je=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",Ae=(e,s)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(s);function en({whatsapp:e,telegram:s},o){let a=Fe(e||null,""),r=a?"":je(s||null);return r?Ae(r,o):Re(a,o)}var tn=[7,30,90];function sn(){let[e,s]=y(30),o=X(h("lines:read")?"/reports/summary":null,{days:2*Math.max(e,30),tree:B.haveBelow()?w().id:void 0}),a=A(o.value);return a.current=o.value||a.current,{...o,value:a.current,span:e,choose:s}}var An=["extensions","activations","trials"],Nn=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function nn({of:{value:e,problem:s,reload:o}}){let a=e?.lines,r=e&&Te(e.days.slice(-1)),l=e&&Te(Qt(e.days)),i=(m,c,u)=>n`<div class="tile" data-figure=${m}>
    <dt>${t("figures."+m)}</dt><dd class="figure" translate=${!1}>${c??" "}</dd><dd class="quiet">${u===null?" ":t("figures.this-month",{amount:u})}</dd></div>`;return n`<section class="panel numbers"><h2>${t("figures")}</h2>
    ${s&&n`<${j} problem=${s} retry=${o} />`}
    <dl class="tiles">
      ${An.map(m=>i(m,r&&T(r[m]),l&&T(l[m])))}
      ${i("spent",r&&G(r.spent),l&&G(l.spent))}
    </dl>
    <ul class="tiles">${Nn.map(([m,c])=>n`<li key=${m}><${x} class="tile" to=${c} data-count=${m}>
      <span class="figure">${a?T(a[m])+(a.capped?"+":""):" "}</span><span>${t(m==="trials"?"figures.running-trials":"figures."+m)}</span><//></li>`)}</ul>
  </section>`}function on({of:{value:e,span:s,choose:o}}){let a=e&&e.days.length>=2*s?e.days.slice(-2*s):null,r=a&&a.slice(s),[l,i]=[r,a&&a.slice(0,s)].map(c=>c&&Te(c).spent),m=n`<div class="seg small" role="group" aria-label=${t("statement.period")}>
    ${tn.map(c=>n`<button key=${c} type="button" aria-pressed=${c===s} onClick=${()=>o(c)}>${c===tn[2]?t("figures.days",{days:c}):c}</button>`)}</div>`;return n`<${Rs} bars title=${t("figures.spent")} day=${t("figures.day")} today choice=${m}
    points=${r&&r.map(c=>({key:c.day,name:ye(c.day,"UTC"),value:D(c.spent)}))}
    sum=${l&&i&&(l==="0"?t("figures.spent-none"):n`<span><b translate=${!1}>${G(l)}</b> <span class="quiet">${t("figures.in-days",{days:s})}</span></span><${Bn} of=${Kt(l,i)} />`)} />`}var Bn=({of:e})=>e!==void 0&&n`<span class="quiet">${!!e&&n`<${p} name=${e<0?"trending-down":"trending-up"} />`}${t("figures."+(e?e<0?"less":"more":"same"),{percent:Rt(Math.abs(e))})}</span>`;var Ne=(e,s)=>n`<${Hn} key=${e.id} line=${e} filter=${s} />`;function Hn({line:e,filter:s}){let o=Me.use()[e.id],a=nt.use()===e.id,r=o&&o.updatedAt>e.updatedAt?{...e,...o}:e,[l,i]=y(""),[m,c,u]=Xs(s,e.id),{id:d,username:g,expDate:b,isTrial:k,effective:C,status:R}=r,I=!!R&&C!=="suspended"&&C!=="owner_blocked",f=I&&!k&&Tt(b)<=2,v=s&&q.get().query.get("q")||"",$=st(g,v)?null:[r.whatsapp,r.notes].find(U=>st(U,v)),S=Un(()=>{s&&!m&&u()});return n`<tr class=${[m&&"is-picked",I&&!k&&"is-active",!R&&!k&&"is-expired"].filter(Boolean).join(" ")} data-id=${d} ...${s?S:{}}>
    ${s&&n`<td class="pick"><label class="hit"><input type="checkbox" checked=${m} disabled=${c} onChange=${u} aria-label=${t("select.line",{name:g})} /></label></td>`}
    <th scope="row" class="name clip"><${x} to=${"/lines/"+d} title=${g} translate=${!1} data-row><${xe} text=${g} by=${v} /><//></th>
    <td class="st"><${ve} line=${r} /></td>
    <td class="expiry clip">${!l&&n`<span title=${H(b)}>${ye(b)}</span> <span class=${f?"rel soon":"rel"}>${Ft(b)}</span>`}<span class="told" role="status">${l&&n`<${p} name="check" />${l}`}</span>${$&&n`<span class="hit-in"><${xe} text=${$} by=${v} /></span>`}</td>
    <td class="phone clip"><${xe} text=${r.whatsapp} by=${v} /></td>
    <td class="notes clip quiet">${r.owner!==w().id&&n`<${Wn} id=${r.owner} />`}${r.notes&&n`<span class="note-text"><${xe} text=${r.notes} by=${v} /></span>`}</td>
    <td class="does"><span>
      ${h("lines:spend")&&(k?n`<${x} class="button row-act" to=${`/lines/${d}?do=activate`} aria-label=${t("line.activate-title",{name:g})}>${t("line.activate")}<//>`:n`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${t("line.extend-title",{name:g})}
          onClick=${()=>{i(""),nt.set(d)}}>${t("line.extend")}</button>`)}
      <${Us} line=${r} />
      ${h("lines:write")&&n`<${ee} label=${t("more-about",{name:g})}>
        <${x} to=${`/lines/${d}?do=${k?"describe":"edit"}`}><${p} name="pencil" />${t("line.edit")}<//>
        <${x} to=${`/lines/${d}?do=${r.suspended?"resume":"suspend"}`}><${p} name=${r.suspended?"play":"circle-pause"} />${t(r.suspended?"line.resume":"line.suspend")}<//>
        ${h("lines:delete")&&n`<hr /><${x} class="bad" to=${`/lines/${d}?do=delete`}><${p} name="trash-2" />${t("line.delete")}…<//>`}<//>`}
      ${a&&!k&&n`<${Js} line=${r} then=${U=>{U&&i(t("line.renewed",{until:ye(U)}))}} />`}
    </span></td>
  </tr>`}function Un(e){let s=A({timer:0,touch:!1,done:!1}),o=()=>clearTimeout(s.current.timer),a=()=>{o(),s.current.done||e(),s.current.done=!0};return{onPointerDown:r=>{let l=r.pointerType==="touch";s.current={touch:l,done:!1,timer:l?setTimeout(a,500):0}},onContextMenu:r=>{s.current.touch&&(r.preventDefault(),a())},onPointerUp:o,onPointerCancel:o,onPointerMove:o,onClickCapture:r=>{s.current.done&&(s.current.done=!1,r.preventDefault(),r.stopPropagation())}}}function Wn({id:e}){let s=Gt(e);return n`<span class="owner">${s?t("line.owner-name",{name:s}):t("line.owner-id",{id:e})}</span>`}var an=()=>`resellerd${re} started ${ce(w())}`;function rn(e){let{messages:s,reading:o}=$e(),[a,r]=y(()=>!!ae(an())),i=!w().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(h)&&!a&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some(d=>d.activations||d.extensions),m=de(i?"/lines":null,{isTrial:0,limit:1},1),c=js("server",s),u=!!e&&(e.lines.trials>0||e.days.some(d=>d.trials>0));return{reading:o,known:!i||!o&&!!(m.value||m.problem),takes:i&&m.value?.data.length===0,server:c,tried:u,at:c?u?2:1:0,leave:()=>{oe(an(),"yes"),r(!0)}}}function ln({of:{server:e,tried:s,at:o,leave:a}}){let r=Ie().prices?.find(c=>c.period==="1 month"),l=[!!e,s,!1],i="/lines?show=trials",m=(c,u,d,g)=>{let b=["server","trial","customer"].indexOf(c),k=t("start."+c);return n`<li class=${l[b]?"is-done":b===o?"is-now":""} aria-current=${b===o?"step":void 0} data-step=${c}>
      <span class="step" aria-hidden="true">${l[b]?n`<${p} name="check" />`:b+1}</span>
      <div><h2>${k}${l[b]&&n`<span class="hush"> ${t("start.done")}</span>`}</h2><p class="quiet text">${u}</p>${b===o&&g}</div>
      ${l[b]&&n`<${x} class="button ghost only" to=${d} aria-label=${t("start.change",{step:k})} title=${t("start.change",{step:k})}><${p} name="pencil" /><//>`}</li>`};return n`<section class="panel first-steps"><ol class="steps">
      ${m("server",e||t("start.server-why"),"/messages",n`<${x} class="button primary" to="/messages">${t("start.server-do")}<//>`)}
      ${m("trial",t("start.trial-why"),i,n`<${pe} />`)}
      ${m("customer",r?t("start.customer-costs",{cost:K(r.credits)}):t("start.customer-why"),"/lines",n`<${x} class="button primary" to=${i}>${t("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${t("start.at",{done:l.filter(Boolean).length,all:l.length})}</span><button type="button" class="button link" data-later onClick=${a}>${t("start.later")}</button></p></section>`}var zn=24*36e5,Kn=O("Queue",!0),Se=7,Qn=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),Be=()=>!w().is_admin&&h("users:write");function cn(){let e=q.use().query.get("do"),s=qe("picked");return e==="extend"&&s&&h("lines:spend")?n`<${De} action="extend" picked=${s} said=${[t("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&Be()?n`<${Jn} />`:n`<${Vn} />`}function Jn(){let e=tt(w().id);return n`<${_} title=${t("nav.home")} up="/"><${we} of=${e}>${s=>n`<${ks} account=${w()} alerts=${s} />`}<//><//>`}function Vn(){let e=!!w().is_admin,s=h("lines:read"),o=h("events:read"),a=!o&&h("ledger:read"),[r]=y(Ce),l=J=>new Date(r+J*zn).toISOString(),i=sn(),m={isTrial:0,effective:"running",expires_after:l(0),expires_before:l(7)},c={isTrial:0,effective:"expired",expires_after:l(-14),sort:"latest_expiry"},u=de(s?"/lines":null,{...m,limit:Se},Se),d=de(s?"/lines":null,{...c,limit:Se},Se),g=de(o?"/events":a?`/users/${w().id}/ledger`:null,o?{limit:5,order:"desc",type:Qn}:{limit:5},5),b=X(h("manage")?"/webhooks":null),k=rn(i.value),{takes:C}=k,[R,I]=y(null),f=A(!1);f.current||=[s&&u,s&&d,s&&i,(o||a)&&g,h("manage")&&b].every(J=>!J||J.value||J.problem)&&k.known&&(!Be()||!k.reading);let v=i.value?.lines.expiring_7d||0,$=i.value?.lines.expired_14d||0,S=s&&v>0&&h("lines:spend"),U=(J,jn)=>n`<button type="button" class="button" data-queue onClick=${()=>I(J)}><${p} name="message-circle" />${jn}</button>`;return n`<${_} title=${t(C?"start":"nav.home")} actions=${h("lines:write")&&!(C&&k.at===1)&&n`<${pe} plain=${S||C} />`}>
    ${f.current?n`<${Zn} of=${b.value?.data} /><div class="cols">
      ${C?n`<div class="stack"><${ln} of=${k} /></div>`:s&&n`<div class="stack">
        <${it} title=${v?t("home.soon-n",{n:v,count:T(v)}):t("home.soon")} icon="calendar-clock" of=${u} lines none=${t("home.soon-none")} all="/lines?when=soon&show=official" n=${v}
          actions=${v>0&&n`${S&&n`<button type="button" class="button primary" onClick=${()=>z("extend",{picked:{filter:m}})}>${t("home.renew",{n:v,count:T(v)})}</button>`}
            ${U(m,t("home.remind",{n:v,count:T(v)}))}`} />
        <${it} title=${$?t("home.past-n",{n:$,count:T($)}):t("home.past")} icon="user-round-x" of=${d} lines none=${t("home.past-none")} all="/lines?when=past&show=official" n=${$}
          actions=${$>0&&U(c,t("home.win-back"))} />
        <${nn} of=${i} />
      </div>`}
      <div class="stack">
        ${e?n`${h("ledger:read")&&n`<${Ns} />`}<${Yn} />`:n`<${Gn} lines=${i.value?.lines} />`}
        ${s&&!C&&n`<${on} of=${i} />`}
        ${o?n`<${it} title=${t("home.activity")} of=${g} row=${xs} none=${t("activity.none")} all="/activity" />`:a&&n`<${Fs} of=${g} />`}
      </div>
    </div>`:n`<${Dt} />`}
    ${R&&n`<${Kn} query=${R} onClose=${()=>I(null)} />`}
  <//>`}function Gn({lines:e}){let s=me.use(),o=Ot.use(),a=tt(w().id),{prices:r}=Ie(),l=r?.find(d=>d.period==="1 month"),i=a.value?.balance_low,m=s&&(a.value||a.problem||!h("users:read"))?Jt(s.credits,i,l?.credits):"",c=s&&l?D(s.credits)/D(l.credits):0n,u=i?t("alert.is",{amount:G(i)}):t(a.value?"alert.new":"alert");return n`<section class="panel own">
    <header><h2>${t("home.balance")}</h2>${Be()&&n`<button type="button" class="button ghost only" aria-label=${u} title=${u} data-alert onClick=${()=>z("alert")}><${p} name="bell" /></button>`}</header>
    <div class="balance-row"><${Bt} of=${s} />${Be()&&n`<${Xn} balance=${s?.credits} lines=${e} low=${!!m} />`}</div>
    ${!s&&o&&n`<${j} problem=${o} retry=${_t} />`}
    <p class="stock">${m?n`<span data-low=${m}><${It} tone="warn" icon="circle-alert">${t("home.low",{amount:G(m)})}<//></span>`:l&&c>0n?n`<span class="quiet">${t("home.enough",{n:Number(c),count:T(c),period:Bs(l.period)})}</span>`:" "}</p>
  </section>`}function Xn({balance:e="0",lines:s,low:o}){let{staff:a,username:r}=w(),l=$e().messages?.inherited||{},i=s?.expiring_7d||0,m=t(i?"ask.message-soon":"ask.message",{n:i,count:T(i),name:a?t("acts-for",{name:a.username,account:r}):r,balance:K(e)});return n`<div class=${o?"ask urgent":"ask"}><a class="button" href=${en(l,m)} target="_blank" rel="noopener noreferrer"><${p} name="hand-coins" />${t("ask")}</a>
    ${!l.whatsapp&&!l.telegram&&n`<${ke} text=${m} label=${t("ask.copy")} />`}</div>`}function Yn(){let{value:e,problem:s}=X("/service");return s?null:n`<section class="panel service"><h2>${t("home.service")}</h2>
    <${Z} of=${[[t("home.version"),e?e.version:" "],[t("home.store"),e?e.store:" "],[t("home.started"),e?H(e.started_at):" "],[t("home.backup"),e?e.last_backup_at&&H(e.last_backup_at):" "]]} /></section>`}function Zn({of:e=[]}){let s=e.filter(o=>!o.enabled&&o.disabled_reason!=="requested");return s.length>0&&n`<${M} tone="unsure"><p><strong>${t("home.still",{n:s.length})}</strong></p>
    ${s.map(o=>n`<p key=${o.id}><${x} to=${"/webhooks/"+o.id}>${Es(o)}<//> ${Ls(o)[0]}</p>`)}<//>`}function it({title:e,icon:s="",of:o,row:a,lines:r=!1,none:l,all:i,n:m=0,actions:c}){let u=o.value?.next_cursor||!r&&o.value?.data.length?"all":o.value?.data.length>3?"all thumb":"";return n`<section class=${r?"panel task":"panel"}><header><h2>${s&&n`<${p} name=${s} />`}${e}</h2>${c&&n`<div class="buttons">${c}</div>`}</header>
    <${we} of=${o}>${({data:d,next_cursor:g})=>n`
      ${d.length?r?n`<table class="table customers few"><tbody>${d.slice(0,Se).map(b=>Ne(b))}</tbody></table>`:n`<ul class="rows">${d.slice(0,5).map(b=>n`<li key=${b.id}>${a?.(b)}</li>`)}</ul>`:n`<p class="quiet">${g?t("home.unsure"):l}</p>`}
      ${u&&n`<p class=${u}><${x} to=${i}>${m?t("home.all-n",{n:m,count:T(m)}):t("home.all")}<//></p>`}`}<//>
  </section>`}var mn=({name:e,label:s,value:o,of:a,choose:r,always:l})=>n`<p class="menu-head">${s}</p>
  ${[...l?[]:[["",t("filter.any")]],...a].map(([i,m])=>n`<button key=${i} type="button" aria-pressed=${o===i} data-filter=${e} data-value=${i} onClick=${()=>r(i)}>
    <${p} name=${o===i?"check":""} />${m}</button>`)}`;function un(e){let{name:s,label:o,value:a,of:r,choose:l}=e,i=r.find(([m])=>m===a)?.[1];return n`<span class="filter-of" data-of=${s}>
    <${ee} label=${i?`${o}: ${i}`:o} look=${i?"filter is-set":"filter"} face=${n`${i?n`<span class="what">${o}:</span> ${i}`:o}${!i&&n`<${p} name="chevron-down" />`}`}><${mn} ...${e} /><//>
    ${i&&n`<button type="button" class="filter-x" aria-label=${t("filter.remove",{filter:i})} onClick=${()=>l("")}><${p} name="x" /></button>`}
  </span>`}var He=({of:e,children:s})=>n`<span class="filters-all"><${ee} label=${t("filter.more")} look="chip" face=${n`<${p} name="list-filter" />${t("filter.more")}`}>
  ${e.map(o=>n`<${mn} key=${o.name} ...${o} />`)}${s}<//></span>`;var eo=e=>vs(e).map(({name:s,key:o,values:a})=>({name:s,text:t(o,a)})),to={...Object.fromEntries(us.map(e=>[e,""])),days:"",sort:""};function dn(){let{query:e}=q.use(),[s,o]=y(!1),a=e.get("do")||"",r=qe("picked"),l=hs(e,e.get("when")?xt():0,w().id),i=JSON.stringify(l),m=Vs().length>0,c=!!Gs(i)||s,u=eo(e);if(Object.hasOwn(ot,a)&&r&&h(ot[a]))return n`<${De} key=${a} action=${a} picked=${r} said=${u.map(({text:$})=>$)} />`;let d={...l,sort:ys(e,l)},g=gs(e),b=bs(e),k=$=>N({sort:$===b?"":$}),C=$=>$.map(S=>[S,t("filter."+S)]),R=[{name:"status",label:t("filter.status"),value:fs(e),of:C(ms)},{name:"show",label:t("filter.show"),value:e.get("show")||"",of:C(["official","trials"])},{name:"when",label:t("filter.when"),value:e.get("when")||"",of:[["soon",t("filter.soon",{n:ps(e)})],["past",t("filter.past")]]},...B.haveBelow()?[{name:"mine",label:t("filter.whose"),value:e.get("mine")||"",of:[["1",t("filter.mine")]]}]:[],{name:"sort",label:t("sort"),value:g,always:!0,of:[b,...["newest","expiry","latest_expiry","username"].filter($=>$!==b)].map($=>[$,t("sort."+$)])}].map($=>({...$,choose:S=>$.name==="sort"?k(S):N({[$.name]:S,...$.name==="when"&&{days:""}})})),I=u.filter(({name:$})=>!R.some(S=>S.name===$&&S.value)),f=n`<tr>
    ${m&&n`<th class="pick"><${Ys} filter=${i} /></th>`}
    <${Ue} name="name" label=${t("customer")} orders=${[["username","ascending"]]} order=${g} choose=${k} />
    <th class="st">${t("filter.status")}</th>
    <${Ue} name="expiry" label=${t("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${g} choose=${k} />
    <th class="phone">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`,v=()=>{Pe.set(null),o(!1)};return n`<${_} title=${t("nav.lines")} actions=${n`<${rt} query=${d} />
      ${m&&n`<button type="button" class="button ghost only thumb" aria-label=${t("select.some")} title=${t("select.some")} aria-pressed=${c} onClick=${()=>c?v():o(!0)}><${p} name="square-check" /></button>`}
      ${h("lines:write")&&n`<${pe} plain=${c} />`}`}>
    <div class=${c?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${t("chips")}><${He} of=${R}><hr /><${rt} query=${d} look="" /><//><${so} query=${e} /></nav>
      ${c?n`<${Zs} filter=${i} query=${l} listed=${d} leave=${v} />`:n`<div class="list-bar">${R.map($=>$.name!=="sort"&&n`<${un} key=${$.name} ...${$} />`)}
          ${I.map(({name:$,text:S})=>n`<button key=${$} type="button" class="chip is-on" aria-label=${t("filter.remove",{filter:S})} onClick=${()=>N({[$]:""})}>${S}<${p} name="x" /></button>`)}
          ${u.length>0&&n`<button type="button" class="button link" onClick=${()=>N(to)}>${t("filter.clear")}</button>`}</div>`}
      <${_e} path="/lines" query=${d} label=${t("nav.lines")} head=${f} look="customers" count=${ls} empty=${u.length?t("lines.none-such"):t("lines.none")}
        row=${$=>Ne($,m?i:void 0)} />
    </div>
  <//>`}function Ue({name:e,label:s,orders:o,order:a,choose:r}){let l=o.findIndex(([m])=>m===a),i=o[l]?.[1];return n`<th class=${e} scope="col" aria-sort=${i}><button type="button" class="sort" onClick=${()=>r(o[(l+1)%o.length][0])}>${s}<${p} name=${i?i==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function so({query:e}){let s=Me.use(),o=X("/reports/summary",{days:1,...ws(e,w().id,B.haveBelow())}),[a]=y(s);L(()=>{s!==a&&o.reload()},[s]);let r=o.value?.lines,l=$s(e),i=!["status","show","when"].some(c=>e.get(c)),m=(c,u,d,g)=>n`<a key=${c} href=${Oe("/lines?"+new URLSearchParams(d))} aria-current=${u?"page":void 0} data-tab=${c}
    onClick=${b=>{b.preventDefault(),N({...d,days:""})}}>${t("tabs."+c)}${g!==void 0&&n` <b>${T(g)}${r?.capped?"+":""}</b>`}</a>`;return n`${m("all",i,{status:"",show:"",when:""},void 0)}
    ${Object.entries(ds).map(([c,[u,d]])=>m(c,c===l,d,r?.[u]))}`}function $n({id:e}){let{query:s}=q.use(),o=Pt(`/lines/${e}`,!0),{reading:a}=$e();return n`<${_} title=${o.value?.username||t("line.title")} named=${o.value} up="/lines">
    <${we} of=${a&&o.value?{loading:!0}:o}>${r=>n`<${no} line=${r} doing=${s.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function no({line:e,doing:s,changed:o}){let a=zs(e),r=!e.isTrial,l=h("lines:spend"),i=h("lines:write"),m={activate:!r&&l&&ro,extend:r&&l&&io,edit:r&&i&&lo,describe:i&&uo,suspend:i&&$o,resume:i&&po,delete:h("lines:delete")&&fo},c=Object.hasOwn(m,s)&&m[s],u=(d,g=!1)=>n`<button type="button" class=${g?"button primary":"button"} onClick=${()=>z(d)}>${t("line."+d)}</button>`;return c?n`<${c} line=${e} payer=${a} changed=${o} />`:n`
    <p class="glance"><${ve} line=${e} badge /> <${Ze} at=${e.expDate} /></p>
    ${/suspended|blocked/.test(e.effective||"")&&n`<${M}><p>${t(`line.${e.effective}-means`)}</p><${fn} line=${e} /><//>`}
    <div class="buttons">
      ${m.extend&&u("extend",!0)}${m.edit&&u("edit")}${m.activate&&u("activate",!0)}
      ${i&&n`${u("describe")}${u(e.suspended?"resume":"suspend")}`}
      ${m.delete&&n`<button type="button" class="button danger-plain" onClick=${()=>z("delete")}>${t("line.delete")}</button>`}
    </div>
    <div class="cols person">
    <${ao} line=${e} />
    <div class="stack"><section class="panel">
      <h2>${t("line.record")}</h2>
      <${Z} of=${[[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Et(e.country)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("line.owner"),e.owner===w().id?null:a?.username||t("reseller.by-id",{id:e.owner})],[t("line.external-id"),e.external_id],[t("line.platform"),e.idPlatform],[t("line.id"),e.id],[t("created"),H(e.createdAt)],[t("changed"),H(e.updatedAt)]]} />
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${t("line.metadata")}</h2>
      <${Z} of=${Object.entries(e.metadata).map(([d,g])=>[n`<span class="name" translate=${!1}>${d.split(/(?<=_)/).map(b=>n`${b}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${g||"—"}</span>`])} />
    </section>`}</div>
    <${oo} line=${e.id} />
    </div>`}var oo=({line:e})=>n`<${Cs} of=${{line:e}} latest=${Ss({line:e})} />`;function ao({line:e}){let[s,o]=y(""),a=s||Ds(e,Ce()),r=As(a,e),l=Fe(e.whatsapp,e.country),i=je(e.telegram),m=(c,u,d)=>n`<a class=${u==="send"?"button":"button send"} href=${c} target="_blank" rel="noopener noreferrer"><${p} name=${u} />${d}</a>`;return n`<section class="panel">
    <h2>${t("line.access")}</h2>
    <${Z} of=${[[t("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${ke} text=${e.username} label=${t("line.copy-name")} /></span>`],[t("password"),e.password===null?n`<span class="quiet">${t("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${e.password}</code><${ke} text=${e.password} label=${t("line.copy-password")} /></span>`]]} />
    <fieldset class="choice few short"><legend class="hush">${t("line.message")}</legend>
      ${Ps.map(c=>n`<label key=${c}><input type="radio" name="message" value=${c} checked=${c===a} onChange=${()=>o(c)} /><span>${t("messages."+c)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${a}>${r}</p>
    <div class="buttons">
      ${m(Re(l,r),"message-circle",l?t("line.whatsapp-to",{number:ns(l)}):t("line.whatsapp"))}
      ${m(Ae(i,r),"send",i?t("line.telegram-to",{name:"@"+i}):t("line.telegram"))}
      <${Ut} text=${r} label=${t("line.copy")} />
    </div>
    ${e.whatsapp&&!l&&n`<p class="quiet">${t("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
  </section>`}function ro({line:e,payer:s,changed:o}){let a=t("line.activate-title",{name:e.username}),r=te({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:a,payer:e.owner,fields:{username:e.username,password:e.password||"",credits:"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:l,fields:i}=r;return se(r,()=>{o(l),E(P(t("line.activated",{name:l.username,until:H(l.expDate)}),{payer:e.owner,key:r.key}))}),n`<section class="panel"><h2>${Ye("line.activate-title",{name:e.username})}</h2>
    <${Y} form=${r} submit=${i.credits?t("line.activate-for",{cost:K(i.credits)}):t("line.activate")} ready=${i.credits!==""} onClose=${()=>E()}
      onSubmit=${()=>r.send({...i,whatsapp:i.whatsapp.trim()||null,notes:i.notes.trim()||null})}>
      <${Hs} form=${r} />
      <${Ks} payer=${s} form=${r} />
      <${pn} form=${r} />
    <//>
  </section>`}var pn=({form:e,whatsapp:s=!1})=>n`
  <${F} form=${e} name="username" label=${t("username")} maxlength="64" required />
  <${F} form=${e} name="password" label=${t("password")} minlength="4" maxlength="128" required />
  <${F} form=${e} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required=${s} />
  <${F} form=${e} name="country" label=${t("country")} hint=${t("country.hint")} maxlength="64" required />
  <${F} form=${e} name="notes" label=${t("notes")} kind="textarea" rows="3" maxlength="2000" />`,io=({line:e,payer:s,changed:o})=>n`<section class="panel"><h2>${Ye("line.extend-title",{name:e.username})}</h2>
  <${Qs} line=${e} payer=${s} onClose=${()=>E()} then=${(a,r)=>{o(a),E(P(t("line.extended",{name:a.username,until:H(a.expDate)}),{payer:e.owner,key:r}))}}><p><${ve} line=${e} /> <${Ze} at=${e.expDate} /></p><//>
</section>`;function lo({line:e,changed:s}){let o=t("line.edit-title",{name:e.username}),a=te({name:"edit "+e.id,method:"PATCH",path:"/lines/"+e.id,title:o,fields:{username:e.username,password:e.password||"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:r,fields:l}=a;return se(a,()=>{s({...e,...r}),E(P(t("line.edited",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${Y} form=${a} submit=${t("save")} onSubmit=${()=>a.send({...l,notes:l.notes.trim()||null})} onClose=${()=>E()}>
      <${pn} form=${a} whatsapp />
    <//>
  </section>`}var co=e=>Object.entries(e||{}).map(([s,o])=>`${s}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function mo(e){let s=new Map,o="",a="";for(let r of e.split(`
`))if(s.size&&r.startsWith("  "))s.set(o,s.get(o)+`
`+r.slice(2));else if(r.trim()){let[,l="",i=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!l||s.has(l))&&(a||=t("line.metadata.row",{row:r})),s.set(o=l,i)}return{metadata:s.size?Object.fromEntries(s):null,wrong:a}}function uo({line:e,changed:s}){let o=t("line.describe-title",{name:e.username}),a=te({name:"describe "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:o,fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",external_id:e.external_id||"",metadata:co(e.metadata||null)}}),{answer:r,fields:l}=a,{metadata:i,wrong:m}=mo(l.metadata),[c,u]=y(a.restored);return se(a,()=>{s(r),E(P(t("line.described",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${Y} form=${a} submit=${t("save")} unclear=${!!m} onClose=${()=>E()}
      onSubmit=${()=>a.send({...Le(l),external_id:l.external_id.trim()||null,metadata:i})}>
      <${Ee} form=${a} />
      <${F} form=${a} name="external_id" label=${t("line.external-id")} hint=${t("line.external-id.hint")} maxlength="64" />
      <${F} form=${a} name="metadata" label=${t("line.metadata")} hint=${t("line.metadata.hint")} wrong=${c&&m} kind="textarea"
        rows=${Math.min(l.metadata.split(`
`).length+3,21)} onBlur=${()=>u(!0)} />
    <//>
  </section>`}var fn=({line:{suspension_reason:e}})=>e&&n`<${Z} of=${[[t("reason"),n`<span class="text">${e}</span>`]]} />`,hn=({line:{id:e,username:s},changed:o,name:a,...r})=>n`<${Os} name=${`${a} ${e}`} path=${`/lines/${e}/suspension`}
  title=${t(`line.${a}-title`,{name:s})} submit=${t("line."+a)} ...${r}
  then=${l=>{o(l),E(P(t(`line.${a}-done`,{name:s})))}} />`,$o=({line:e,changed:s})=>n`<${hn} line=${e} changed=${s} name="suspend" method="PUT" danger meaning=${t("line.suspended-means")} fields=${{reason:""}}>
  ${o=>n`<${_s} form=${o} name=${e.username} />`}<//>`,po=({line:e,changed:s})=>n`<${hn} line=${e} changed=${s} name="resume" method="DELETE" meaning=${t("line.resume-meaning")}>${()=>n`<${fn} line=${e} />`}<//>`;function fo({line:e}){let s=t("line.delete-title",{name:e.username}),o=te({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:s,fields:{typed:""},secret:["typed"]});return se(o,()=>vt("/lines",P(t("line.deleted",{name:e.username})))),n`<section class="panel"><h2>${s}</h2>
    <${Y} form=${o} danger submit=${t("line.delete")} ready=${ue(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>E()}>
      <p>${t("line.delete-meaning")}</p>
      <${F} form=${o} name="typed" label=${t("line.delete-type",{name:e.username})} required />
    <//>
  </section>`}function bn({name:e,label:s}){let o=q.use().query.get(e)||"",[a,r]=y(o),l=A(0);return L(()=>{l.current||r(o)},[o]),L(()=>()=>clearTimeout(l.current),[]),n`<label class="search"><${p} name="search" />
    <input type="search" value=${a} onInput=${m=>{let c=m.target.value;r(c),clearTimeout(l.current),l.current=setTimeout(()=>{l.current=0,N({[e]:ue(c)})},250)}} aria-label=${s} placeholder=${s} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var ho=500,gn={low:e=>!!as(e),blocked:e=>!e.active_tree},yn=({credits:e},{credits:s})=>D(e)<D(s)?-1:+(D(e)>D(s)),wn=["balance","-balance"];function vn(e){let s=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?s.set(o,a):s.delete(o);kt({},s.size?"?"+s:""),q.set({...q.get(),query:s})}function kn(){let{query:e}=q.use(),[s,o]=y(null);if(e.get("do")==="create"&&B.createResellers())return n`<${bo} />`;let a=e.get("q"),r=!!e.get("all")||!!a,l=s!==!1&&e.get("view")||"",i=s!==!1&&wn.find(f=>f===e.get("sort"))||"",m=r?{q:a}:{master:w().id},c=(f,v)=>f.filter($=>$.id!==w().id&&gn[v]?.($)!==!1),u=f=>s&&!a&&c(s,f).length,d=f=>{let v=c(f,l);return i?v.sort(($,S)=>i==="balance"?yn($,S):yn(S,$)):v},g=(f,v,$,S)=>n`<a key=${f} href=${Oe("/resellers?"+new URLSearchParams($))} aria-current=${v?"page":void 0} data-tab=${f}
    onClick=${U=>{U.preventDefault(),($.all?r&&!a:!r)?vn({view:$.view||""}):N({q:"",all:"",view:"",...$})}}>${t("resellers."+f)}${typeof S=="number"&&n` <b>${T(S)}</b>`}</a>`,b={name:"sort",label:t("sort"),value:i,always:!0,of:["",...wn].map(f=>[f,t("sort."+(f||"oldest"))]),choose:f=>vn({sort:f})},k=s?n`<${Ue} name="num bal" label=${t("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${i} choose=${b.choose} />`:n`<th class="num bal">${t("balance")}</th>`,[C,...R]=t("reseller.new").split(" "),I=n`<tr><th class="name">${t("reseller.title")}</th>${k}<th class="sit">${t("filter.status")}</th><th class="last">${t("reseller.recharged")}</th>
    <th class="tel">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`;return n`<${_} title=${t("nav.resellers")} actions=${n`<${at} of="users" query=${m} />
      ${B.createResellers()&&n`<button type="button" class="button primary" onClick=${()=>z("create")}><${p} name="plus" /><span>${C}<span class="words"> ${R.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${t("chips")}><${He} of=${s?[b]:[]}><hr /><${at} of="users" query=${m} look="" /><//>
        ${g("direct",!r&&!l,{},!r&&u(""))}
        ${s!==!1&&Object.keys(gn).map(f=>g(f,l===f,{view:f,...e.get("all")&&{all:"1"}},u(f)))}
        ${g("all",r&&!l,{all:"1"},r&&u(""))}</nav>
      <div class="filters" role="search"><${bn} name="q" label=${t("resellers.search")} /></div>
      <${_e} path="/users" query=${m} row=${rs} label=${t("nav.resellers")} head=${I} look="resellers" size=${ho} arrange=${d} told=${o}
        count=${f=>t("resellers.count",{n:f,count:T(f)})} empty=${t(a||l?"resellers.none-such":"resellers.none")} />
    </div>
    <${ss} then=${be} />
  <//>`}function bo(){let e=me.use(),s=te({name:"create",method:"POST",path:"/users",title:t("reseller.new"),secret:["password"],fields:{username:"",password:Ts(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:V.get()}}),o={...s.fields,country:s.fields.country??e?.country??""},a={...s,fields:o},{answer:r}=a,l=Zt(o.credits,!0),i=a.frozen?a.said().credits:l.amount;se(a,()=>{let c=r.credits!=="0";qs.set({of:"reseller "+r.id,secret:o.password}),ie("/resellers/"+r.id,{replace:!0,state:P(t("reseller.created",{name:r.username}),c?{payer:r.id,key:a.key}:{})})});let m=()=>a.send({username:o.username,password:o.password,is_master:o.is_master,credits:i,language:o.language,...Le(o)});return n`<${_} title=${t("reseller.new")} up="/resellers"><section class="panel">
    <${Y} form=${a} submit=${i&&D(i)>0n?t("reseller.create-amount",{amount:K(i)}):t("reseller.create")} unclear=${!!l.wrong} onSubmit=${m} onClose=${()=>E()}>
      <${F} form=${a} name="username" label=${t("username")} maxlength="64" required />
      <${F} form=${a} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!o.is_master} disabled=${a.frozen}
        onChange=${c=>a.set({is_master:c.target.checked?1:0})} />${t("reseller.is-master")}</label>
      ${h("credits:move")&&n`<${es} form=${a} typed=${l} label=${t("reseller.first-credits")} hint=${t(w().is_admin?"amount.issued":"amount.own")} />`}
      <${Ee} form=${a} />
      <${F} form=${a} name="language" label=${t("language")} kind="select">
        ${Object.entries(ge).map(([c,u])=>n`<option key=${c} value=${c} lang=${c}>${u}</option>`)}<//>
    <//>
  </section><//>`}var xn=[["/",cn],["/lines",dn],["/lines/:id",$n],["/jobs",O("Jobs")],["/jobs/:id",O("Job")],["/resellers",kn],["/resellers/:id",O("Reseller")],["/statement",O("Statement")],["/activity",O("Activity")],["/webhooks",O("Webhooks")],["/webhooks/:id",O("OneWebhook")],["/keys",O("Keys")],["/keys/:id",O("OneKey")],["/staff",O("Staff")],["/staff/:id",O("Member")],["/messages",O("Messages")],["/sessions",O("Sessions")],["/proof",O("Proof")],["/prices",O("Prices")]];var lt=`resellerd${re} theme`,Sn=matchMedia("(prefers-color-scheme: dark)"),Cn=["device","light","dark"],We=he(ae(lt)||"device");function qn(e){e==="device"?localStorage.removeItem(lt):oe(lt,e),We.set(e),On()}function On(){let e=We.get();document.documentElement.dataset.theme=e==="device"?Sn.matches?"dark":"light":e}Sn.addEventListener("change",On);var ct=`resellerd${re} keys off`,mt=he(!ae(ct)),Q=he(!1);function go(e){e?localStorage.removeItem(ct):oe(ct,"yes"),mt.set(e)}function _n(e){let s=document.querySelector("[data-search]");!(s instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),s.focus(),s.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&_n(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let s=e.target instanceof HTMLElement?e.target:document.body,o=s.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!Q.get()){o?s.blur():q.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&E();return}if(!(o||!mt.get()||Q.get())){if(e.key==="/")_n(e);else if(e.key==="x")(s.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(s.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),Q.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(i=>i===s||(i.closest("tr")||i.previousElementSibling)?.contains(s)),l=r>=0?r+(e.key==="j"?1:-1):a.findIndex(i=>i.getBoundingClientRect().top>=0);if(!a[l])return;e.preventDefault(),a[l].focus(),a[l].scrollIntoView({block:"nearest"})}}});var yo=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function Tn(){let e=A(null),s=Q.use(),o=mt.use();return L(()=>{s?e.current?.showModal():e.current?.close()},[s]),n`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>Q.set(!1)}>
    <h2 id="keys">${t("keys.title")}</h2>
    <dl class="facts">${yo.map(([a,r])=>n`<div key=${a}><dt>${a.split(" ").map(l=>n`<kbd>${l}</kbd> `)}</dt><dd>${t("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${o} onChange=${a=>go(a.target.checked)} />${t("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>Q.set(!1)}>${t("close")}</button></div>
  </dialog>`}var ut=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",B.haveBelow],["/statement","receipt-text","ledger:read"]],dt={business:[["/prices","tag","",()=>!!w().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!w().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},ze=([,,e,s])=>h(e)&&s?.()!==!1,$t=e=>t("nav."+(e.slice(1)||"home"));function Rn({children:e}){let{path:s}=q.use(),o=Xt.use(),[a,r]=y(!1),l=Wt(a,()=>r(!1)),i="/"+s.split("/")[1],m=wo(),c=([u,d])=>n`<${x} key=${u} to=${u} title=${$t(u)} aria-current=${u===i?"page":void 0}>
    <${p} name=${d} /><span>${$t(u)}</span><//>`;return n`
    <a class="skip" href="#main">${t("skip")}</a>
    <nav class="places" aria-label=${t("nav")}>
      <${x} to="/" class="brand" translate=${!1}><${Ke} /><span class="clip">${W}</span><//>
      ${ut.filter(ze).map(c)}
      <div class="rest" ref=${l}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${p} name="menu" /><span>${t("nav.more")}</span></button>
        ${a&&n`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${u=>{u.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${m[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${m}</b><${Fn} /></span></div>
          ${Object.entries(dt).map(([u,d])=>d.some(ze)&&n`<div key=${u} class=${"group "+u}><p class="group-name">${t("nav.group."+u)}</p>${d.filter(ze).map(c)}</div>`)}
          <div class="narrow"><${Qe} /><${Je} /></div>
        </div>
      </div>
      <${cs} />
    </nav>
    <header class="top" data-who=${m}>
      <${x} to="/" class="start" aria-label=${W}><${Ke} /><//>
      <${ko} />
      <${Fn} link />
      <${ee} label=${m} look="avatar" face=${m[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${m}</p>
        <${x} to="/sessions"><${p} name="shield-check" />${t("nav.sessions")}<//>
        <${Qe} />
        <button type="button" onClick=${()=>Q.set(!0)}><${p} name="keyboard" />${t("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${Je} />
      <//>
    </header>
    <${Mt} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${o.map(u=>n`<${xo} key=${u.id} sent=${u} />`)}<${ts} />
      </div>
      ${[...ut,...Object.values(dt).flat()].every(([u,,d])=>u!==i||h(d))?e:n`<${_} title=${t("nav."+i.slice(1))}><${M}><p>${t("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${Tn} /><${Ht} />`}function wo(){let{staff:e,username:s}=w();return e?t("acts-for",{name:e.username,account:s}):s}var vo=O("Palette",!0);function ko(){let[e,s]=y(!1);return n`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>s(!0)}>
    <${p} name="search" /><span class="clip">${t("search")}${h("lines:read")&&n` <span class="desk">${t("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&n`<${vo} places=${[...ut,...Object.values(dt).flat()].filter(ze).map(([o,a])=>[o,a,$t(o)])} close=${()=>s(!1)} />`}`}function Fn({link:e=!1}){let s=me.use();if(!s||s.is_admin)return null;if(!e)return n`<span class="quiet"><${At} of=${s.credits} /></span>`;let o=n`<${p} name="coins" /><${Nt} of=${s.credits} />`;return h("ledger:read")?n`<${x} to="/statement" class="balance">${o}<//>`:n`<span class="balance">${o}</span>`}function xo({sent:e}){let s=Yt(e),o=s.state.use(),[a,r]=y(!1),{path:l}=q.use(),i=e.place&&e.place!==l+location.search;if(L(()=>{r(!1);let c=setTimeout(()=>r(!0),e.place&&!i?5e3:700);return()=>clearTimeout(c)},[i]),L(()=>s.state.watch(()=>{let c=s.state.get();c==="done"&&!e.place&&be(P(t("form.settled",{title:e.title}),{payer:e.payer,key:s.kept.key})),s.problem&&(c==="refused"||c==="over")&&(s.drop(),be(P(t("form.not-done",{title:e.title,why:Lt(s.problem).text}),{tone:"bad"})))}),[]),!a)return null;let m={problem:s.problem,pays:!!e.payer,tooOld:s.tooOld(),again:()=>s.again(),discard:()=>s.drop()};return n`<div class="toast" data-form=${o}><p>${t("form.pending",{title:e.title})}</p>
    ${i?n`<div class="buttons"><${x} class="button primary" to=${e.place}>${t("form.back")}<//></div>`:o==="sending"?n`<p role="status">${t("form.sending")}</p>`:n`<${jt} form=${m} />`}</div>`}var Ke=()=>Xe?n`<img class="own-logo" src=${Xe} alt="" />`:n`<span class="logo" aria-hidden="true">${W[0]}</span>`,En=()=>n`<p class="langs">${Object.entries(ge).map(([e,s])=>n`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${V.get()===e}
  onClick=${()=>Ge(e).catch(()=>location.reload())}>${s.replace(/ \(.*/,"")}</button>`)}</p>`;function Qe(){let[e,s]=y(null),o=a=>{s(null),Ge(a).catch(s)};return n`<${et} icon="sun-moon" label=${t("theme")} value=${We.use()} choose=${qn} of=${Cn.map(a=>[a,t("theme."+a)])} />
  <${et} key=${!!e} icon="languages" label=${t("language")} value=${V.get()} choose=${o} of=${Object.entries(ge)} />
  ${e&&n`<div class="toasts"><div class="toast"><div><${j} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function Je({look:e=""}){let[s,o]=y(null),a=()=>qt().then(()=>ie("/",{replace:!0}),o);return n`<button type="button" class=${e} onClick=${a}><${p} name="log-out" />${t("sign-out")}</button>
    ${s&&le.get().is!=="out"&&n`<${j} problem=${s} retry=${a} />`}`}function Ln({ended:e,dropped:s}){let[o,a]=y({username:"",password:"",totp:""}),[r,l]=y(!1),[i,m]=y(null),[c,u]=y(!1);L(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),L(()=>{let C=i&&document.getElementsByName(r?"totp":"password")[0];C instanceof HTMLInputElement&&(C.focus(),C.select())},[i]);let d=async C=>{if(C.preventDefault(),c)return;u(!0),m(null);let{totp:R,...I}={...o,username:ue(o.username)};try{await Ct(r?{...I,totp:Is(R)}:I)}catch(f){f.code!=="totp-required"?m(r&&f.code==="invalid-credentials"?new wt("wrong-code"):f):l(!0),u(!1)}},g=()=>{a({...o,password:"",totp:""}),m(null),l(!1)},k={fields:o,frozen:c,problem:i,set:C=>{r&&m(null),a(R=>({...R,...C}))}};return n`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${Ke} />${W}</p><${_} title=${t("sign-in")}>
    ${e&&n`<${M} tone=${s?"bad":"unsure"}><p>${t(s?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&n`<${M} tone="bad"><p>${t("sign-in.insecure")}</p><//>`}
    <form onSubmit=${d} aria-busy=${c}>
      ${r?n`<p>${t("sign-in.code",{name:o.username})}</p><${Ms} form=${k} name="totp" recovery />`:n`<${F} form=${k} name="username" label=${t("username")} autocomplete="username" maxlength="64" required />
          <${F} form=${k} name="password" label=${t("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${i&&n`<${j} problem=${i} />`}
      <button type="submit" class="button primary wide tall" disabled=${c||!isSecureContext}>${t(c?"form.sending":"sign-in")}</button>
      ${r?n`<button type="button" class="button wide" onClick=${g}>${t("back")}</button>`:n`<p class="quiet small help">${t("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${En} /></main>`}var pt=new WeakSet,fe=new Map,ft=new MutationObserver(In);function In(e){for(let{target:s,addedNodes:o,removedNodes:a,previousSibling:r,nextSibling:l}of e){let i=s;for(;i&&!pt.has(i);)i=i.parentNode;if(i)continue;for(let u of o)u instanceof Text||pt.add(u);let m=[...o,r,l].filter(u=>u&&pt.has(u)),c=m.find(u=>!fe.has(u))||m[0];if(c)for(let u of a)u instanceof Text&&fe.set(c,[...fe.get(c)||[],u])}}function So(e){In(ft.takeRecords());let s=[...fe].filter(([o])=>o.parentNode).map(([o,a])=>({stand:o,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));fe.clear();for(let{stand:o,texts:a}of s)o.replaceWith(...a);try{e()}finally{for(let{stand:o,texts:a,was:r,apart:l}of s)if(!(!l||!a.every((i,m)=>i.parentNode&&i.data===r[m]&&(!m||i.previousSibling===a[m-1])))){a[0].before(o);for(let i of a)i.remove();fe.set(o,a)}ft.takeRecords()}}bt.debounceRendering=e=>queueMicrotask(()=>So(e));var Mn=()=>ft.observe(document.body,{childList:!0,subtree:!0});var ne=[];addEventListener("focusin",e=>{ne=[];for(let s=e.target;s instanceof Element;s=s.parentElement)ne.push(s)});addEventListener("focusout",()=>{let[e]=ne;queueMicrotask(()=>{e&&e===ne[0]&&e!==document.activeElement&&ht(e)&&document.hasFocus()&&(ne=[])})});var ht=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),Pn=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function Co(){let[e]=ne,s=document.activeElement;if(!e||e===document.body||s!==e&&s!==document.body)return;if(ht(e)){s!==e&&Pn(e);return}if(e.isConnected&&e.matches(":disabled"))return;let o=ne.find(l=>l.isConnected),a=o?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(ht);Pn(r||o?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(Co).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function qo(){let{path:e}=q.use(),s=le.use();V.use();let[o]=yt(r=>setTimeout(()=>{throw r}));if(o)return n`<main class="alone"><${_} title=${W}><${M} tone="bad"><p>${t("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${p} name="rotate-cw" />${t("load-again")}</button><//><//></main>`;switch(s.is){case"starting":return null;case"failed":return n`<main class="alone"><${_} title=${W}>
        <${j} problem=${s.problem} retry=${Ve} />
        <div class="settings"><${Qe} /></div><//></main>`;case"blocked":return n`<main class="alone"><${_} title=${t("blocked.title")}>
        <${M} tone="bad"><p>${t("problem.account-blocked")}</p><//><div class="buttons"><${Je} look="button" /></div><//></main>`;case"out":return n`<${Ln} ended=${s.ended} dropped=${s.dropped} />`}if(e==="/sign-in")return ie("/",{replace:!0}),null;let a=St(xn,e);return n`<${Rn} key=${ce(s.who)}>
    ${a?n`<${a.screen} key=${e} id=${a.id} />`:n`<${_} title=${t("nowhere")}><p><${x} to="/">${t("nav.home")}<//></p><//>`}
  <//>`}function Oo(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var Dn="";le.watch(()=>{let e=le.get();!("who"in e)||ce(e.who)===Dn||(Dn=ce(e.who),zt(),os(),Vt(),is.set(null),Pe.set(null),Oo(),setTimeout(()=>Ws().catch(()=>null),2e3))});document.documentElement.dataset.blocked||Ve().then(()=>{document.querySelector(".before")?.remove(),gt(n`<${qo} />`,document.body),Mn()});
//# sourceMappingURL=app.js.map
