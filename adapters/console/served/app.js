import{$ as ks,$a as Ps,$b as sn,A as ds,Aa as Ze,Ab as Ks,Ac as hn,B as fe,Ba as oe,Bb as at,Bc as bn,C as Q,Ca as et,Cb as rt,Cc as Mt,D as Je,Da as F,Db as Qs,Dc as Pt,E as C,Ea as ee,Ec as gn,F as fs,Fa as Fs,Fc as wn,G as De,Ga as V,Gc as yn,H as he,Ha as qs,Hb as Vs,Hc as mt,I as t,Ia as Rt,Ja as Pe,K as ye,Ka as Ts,L as v,La as tt,M as ce,Ma as Ie,Mb as Js,N as hs,Na as Rs,Nb as Ys,O as Z,Oa as Es,P as Ft,Pa as Be,Q as bs,Qa as G,Qb as Gs,R as gs,Ra as Et,S as ws,Sa as Ls,Sb as Xs,T as ys,Ta as X,Tb as Zs,U as qt,Ua as As,V as g,Va as xe,W as D,Wa as Ds,Wb as en,X as me,Xa as st,Ya as J,Yb as tn,Z as I,Za as Y,_ as Ye,_a as Ms,_b as Oe,a as os,aa as Me,ab as Se,b as as,ba as vs,bb as Ce,bc as nn,c as x,ca as xs,cb as B,d as j,da as Ss,db as Is,dc as on,e as rs,ec as lt,f as ae,fb as Bs,fc as an,g as ls,ga as M,gb as $e,gc as rn,h as is,ha as T,hb as Ns,hc as Lt,i as n,ia as Ge,ib as _e,ic as Ne,j as pe,ja as P,k as re,ka as O,l as le,la as se,lc as Fe,m as de,ma as Cs,mb as js,n as ie,na as Xe,nc as ln,o as cs,oa as _s,oc as cn,p as ms,pa as ne,pb as Hs,pc as N,qa as Tt,qc as At,r as $s,ra as f,rc as it,sa as E,sc as mn,t as q,ta as W,tb as Us,tc as $n,u as we,ua as ke,ub as Ws,uc as un,v as us,vb as nt,vc as pn,w as K,wa as H,wb as ot,wc as Dt,x as R,xa as z,xc as dn,y as Ve,ya as Os,yb as zs,yc as ct,z as ps,za as ve,zc as fn}from"./chunk.js";function kn(e,s=4n){let o=e>0n?e:10000n;for(let a=1n;;a*=10n)for(let r of[1n,2n,5n]){let i=r*a;if(i*s<o)continue;let l=(o+i-1n)/i;return Array.from({length:Number(l)+1},(c,m)=>BigInt(m)*i)}}var je=(e,s)=>e>0n?Number(e*10000n/s)/100:0,vn=(e,s)=>e.map((o,a)=>(a?"V":"M0 ")+(100-je(o,s))+"H"+(a+1)).join(""),xn=(e,s,o)=>Math.max(0,Math.min(o-1,Math.floor(e*o/s)));function Sn(e,s,o){let a={ArrowLeft:s-1,ArrowDown:s-1,ArrowRight:s+1,ArrowUp:s+1,Home:0,End:o-1}[e];return a===void 0?void 0:Math.max(0,Math.min(o-1,a))}var It=e=>e.reduce((s,o)=>({trials:s.trials+o.trials,activations:s.activations+o.activations,extensions:s.extensions+o.extensions,spent:se(O(s.spent)+O(o.spent))}),{trials:0,activations:0,extensions:0,spent:"0"}),Cn=e=>e.filter(s=>s.day.slice(0,7)===e[e.length-1].day.slice(0,7));function $t(e,s,o){let a=s||o;return a&&O(e)<O(a)?a:""}var qe=["10","20","50"],te=pe(null),_n=e=>`resellerd${ie} ${e} for ${ce(v())}`;function ut({then:e}){let s=te.use(),o=a=>{te.set(null),a&&e(a)};return rs(()=>()=>te.set(null),[]),s&&n`<${Bt} key=${s.name+s.reseller.id} ...${s} onClose=${o} />`}function Bt({reseller:e,name:s,amount:o="",onClose:a}){let r=Z.use(),i=s==="topup",l=J({name:`${s} ${e.id}`,method:i?"PATCH":"POST",path:i?"/users/credits/"+e.id:`/users/${e.id}/credits/reclaim`,payer:e.id,title:t(`reseller.${s}-title`,{name:e.username}),fields:{credits:T(le(_n(s))||(i?qe[0]:"")),notes:""}}),{fields:c,frozen:m}=l,$=Se(c.credits),u=m?l.said().credits:$.wrong?"":$.amount;j(()=>{o&&l.set({credits:T(o)})},[]),Y(l,()=>{re(_n(s),u),a(B(t(`reseller.${s}-done`,{name:e.username,amount:P(u)}),{payer:e.id,key:l.key}))});let p=()=>{c.notes||l.cancel(),a()},d=i?r:e,w=!!u&&!!d&&!d.is_admin&&O(d.credits)<O(u),S=((y,L=i===(y===e))=>[n`<span class="name" translate=${!1}>${y.username}</span>`,ee("reseller.then",{now:T(y.credits),after:P(Cs(y.credits,L?"-"+u:u))})]);return n`<${Bs} look="side-panel top-up" title=${ee(`reseller.${s}-title`,{name:e.username})} onClose=${p}>
    <${V} form=${l} submit=${u?t(`reseller.${s}-amount`,{amount:P(u)}):t("reseller."+s)} unclear=${!!$.wrong}
      onSubmit=${()=>l.send({credits:u,notes:c.notes.trim()||null})}>
      <fieldset class="choice few short" disabled=${m}><legend class="hush">${t("amount")}</legend>
        ${qe.map(y=>n`<label key=${y}><input type="radio" name="amount" value=${y} checked=${u===y} onChange=${()=>l.set({credits:y})} />
          <span translate=${!1}>${i?"+":"−"}${y}</span></label>`)}</fieldset>
      <${Ce} form=${l} typed=${$} label=${t("amount.other")} />
      <div class="becomes" aria-live="polite">
        ${u?m?n`<p>${ee("amount.sent",{amount:P(u)})}</p>`:w?n`<${W} tone="unsure"><p>${ee(i?"cost.short":"cost.short-of",{name:e.username,cost:P(u),now:T(d?.credits||"")})}</p><//>`:n`<${G} of=${[S(e),...r&&!r.is_admin&&r.id!==e.id?[S(r)]:[]]} />`:null}
      </div>
      <${F} form=${l} name="notes" label=${t("notes")} kind="textarea" rows="1" maxlength="2000" />
    <//>
  <//>`}var Nt=new Map,On=()=>Nt.clear(),He=({is_admin:e,credits:s},o)=>e?"":$t(s,o,qe[0]),jt=e=>n`<${Fo} key=${e.id} reseller=${e} />`;function Fo({reseller:e}){let{id:s,username:o}=e,a=D.manage(e,"credits:move"),r=g("users:write"),i=$e(e.whatsapp,e.country),l=T(e.credits),c=t("reseller.whatsapp",{name:o}),m=($,u,p,d="")=>n`<${C} class=${d} to=${`/resellers/${s}?do=${$}`}><${f} name=${u} />${p}<//>`;return n`<tr data-id=${s}>
    <th scope="row" class="name"><span class="named"><${C} class="clip" to=${"/resellers/"+s} title=${o} translate=${!1} data-row>${o}<//>${!!(e.is_master||e.is_admin)&&n`<span class="badge">${t("role."+(e.is_admin?"admin":"master"))}</span>`}</span></th>
    <td class="num bal" translate=${!1}>${!e.is_admin&&n`<b>${l}</b><span class="unit">${P(e.credits).replace(l,"")}</span>`}</td>
    <td class="sit"><${Ht} reseller=${e} /></td>
    <td class="last clip quiet" title=${I(e.recharge)}>${!e.is_admin&&Me(e.recharge)}</td>
    <td class="tel clip">${e.whatsapp}</td>
    <td class="notes clip quiet" title=${e.notes}>${e.notes}</td>
    <td class="does"><span>
      ${a&&n`<button type="button" class="button row-act" aria-haspopup="dialog" aria-label=${t("reseller.topup-title",{name:o})} onClick=${()=>te.set({reseller:e,name:"topup"})}>${t("reseller.topup")}</button>`}
      ${i?n`<a class="button ghost only" href=${_e(i,"")} target="_blank" rel="noopener noreferrer" aria-label=${c} title=${c}><${f} name="message-circle" /></a>`:n`<i></i>`}
      ${(a||r)&&n`<${X} label=${t("more-about",{name:o})}>
        ${r&&m("contact","pencil",t("reseller.contact"))}
        ${a&&n`<button type="button" onClick=${()=>te.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${t("reseller.reclaim")}</button>`}
        ${g("lines:read")&&n`<${C} to=${"/lines?owner="+s}><${f} name="tv" />${t("nav.lines")}<//>`}
        ${D.manage(e,"users:write")&&n`<hr />${e.block_reseller?m("unblock","lock-open",t("reseller.unblock")):m("block","lock",t("reseller.block")+"…","bad")}`}<//>`}
    </span></td>
  </tr>`}function Ht({reseller:e,badge:s}){let o=e.active_tree?e.is_admin?"":O(e.credits)?He(e)&&"low":"empty":e.block_reseller?"blocked":"blocked-above";if(!o)return null;let a=t("reseller."+o),r=t(`reseller.${o}-brief`);return n`<${ke} of=${o} tone=${o==="low"?"warn":"bad"} icon=${o==="low"?"trending-down":o==="empty"?"circle-alert":"lock"} badge=${s}>${s?a:n`<span class="long">${o==="blocked-above"?r:a}</span><span class="brief">${r}</span>`}<//>`}function Fn({master:e}){let s=String(e),[o,a]=x(()=>Nt.get(s)||{rows:[],next:""}),[r,i]=x(null),[l,c]=x(!0),m=async(p,d)=>{c(!0),i(null);try{let w=Math.min(500,Math.max(50,o.rows.length-p.length)),{data:S,next_cursor:y}=await $s("/users",{master:e,limit:w,cursor:d},1),L={rows:[...p,...S],next:y};Nt.set(s,L),a(L)}catch(w){i(w)}c(!1)};j(()=>{m([],"")},[e]);let{rows:$,next:u}=o;return n`<div class="branch" aria-busy=${l}>
    ${$.length>0&&n`<table class="table resellers few"><tbody>${$.map(jt)}</tbody></table>`}
    ${r?n`<${H} problem=${r} retry=${()=>m($,u||"")} />`:u===""&&l?n`<p class="quiet">${t("list.loading")}</p>`:u?n`<button type="button" class="button wide" disabled=${l} onClick=${()=>m($,u)}>${t("tree.more")}</button>`:!$.length&&n`<p class="quiet">${t("tree.none")}</p>`}
  </div>`}var Ue=e=>z(e===null||!g("users:read")?null:`/users/${e}/alerts`);function pt({account:{id:e,username:s},alerts:o,changed:a}){let r=t("alert.title",{name:s}),i=J({name:"alert "+e,method:"PUT",path:`/users/${e}/alerts`,title:r,fields:{credits:o.balance_low?T(o.balance_low):""}}),l=Se(i.fields.credits);return Y(i,()=>{let c=i.answer.balance_low;a?.(i.answer),R(B(c?t("alert.set",{name:s,amount:P(c)}):t("alert.unset",{name:s})))}),n`<section class="panel"><h2>${r}</h2>
    <${V} form=${i} submit=${t("save")} unclear=${!!l.wrong} onSubmit=${()=>i.send({balance_low:l.amount||null})} onClose=${()=>R()}>
      <p>${t("alert.meaning")}</p>
      <${Ce} form=${i} typed=${l} label=${t("alert.field")} hint=${t("alert.hint")} required=${!1} />
    <//>
  </section>`}var dt=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",ft=(e,s)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(s);function qn({whatsapp:e,telegram:s},o){let a=$e(e||null,""),r=a?"":dt(s||null);return r?ft(r,o):_e(a,o)}function Ut({title:e,time:s,amount:o,none:a,points:r,ends:i,bars:l=!1}){let[c,m]=x(-1),$=is(),u=r||[],p=Math.max(1,u.length),d=u[c]||u[u.length-1],w=d?t("chart.value",{time:d.name,amount:(l?P:T)(se(d.value))}):" ",S=kn(u.reduce((b,{value:A})=>A>b?A:b,0n)),y=S[S.length-1],L=!l&&u.length?vn(u.map(b=>b.value),y):"",k=b=>{let{left:A,width:U}=b.currentTarget.getBoundingClientRect();m(xn(b.clientX-A,U,u.length))},_=b=>{b.pointerType==="mouse"&&m(-1)},h=b=>{let A=Sn(b.key,d?u.indexOf(d):0,u.length);A!==void 0&&(b.preventDefault(),m(A))};return n`<figure class="plot">
    <figcaption id=${$}>${e}</figcaption>
    <p class="said">${a&&r?.every(b=>!b.value)?a:w}</p>
    <div class="scale" aria-hidden="true">${r&&[...S].reverse().map(b=>n`<span key=${b}>${T(se(b))}</span>`)}</div>
    <div class="area" ...${u.length?{role:"slider",tabIndex:0,"aria-labelledby":$,"aria-valuemin":1,"aria-valuemax":u.length,"aria-valuenow":u.indexOf(d)+1,"aria-valuetext":w,onPointerMove:k,onPointerDown:k,onPointerLeave:_,onKeyDown:h}:{}}>
      <svg viewBox="0 0 ${p} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${S.slice(1).map(b=>`M0 ${100-je(b,y)}H${p}`).join("")} vector-effect="non-scaling-stroke" />
        ${l&&u.map(({key:b,value:A},U)=>A>0n&&n`<rect key=${b} class=${U===p-1?"last":""} x=${U+.15} width="0.7" y=${100-je(A,y)} height=${je(A,y)} />`)}
        ${L&&n`<path class="below" d=${L+"V100H0Z"} /><path class="edge" d=${L} vector-effect="non-scaling-stroke" />`}
        ${c>=0&&c<u.length&&n`<path class="chosen" d="M${c+.5} 0V100" vector-effect="non-scaling-stroke" />`}
        <path class="axis" d="M0 0V100H${p}" vector-effect="non-scaling-stroke" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true"><span>${i[0]}</span><strong>${i[1]}</strong></div>
    <details><summary>${t("chart.table")}</summary>
      <table aria-labelledby=${$}><thead><tr><th scope="col">${s}</th><th scope="col">${o}</th></tr></thead>
        <tbody>${u.map(b=>n`<tr key=${b.key}><th scope="row">${b.name}</th><td>${T(se(b.value))}</td></tr>`)}</tbody></table>
    </details>
  </figure>`}function Tn({days:e}){let s=e&&e.map(({day:a,balance:r})=>({key:+a,name:Ye(a),value:O(r)})),o=s?.length?[s[0].name,s[s.length-1].name]:[" ",""];return n`<${Ut} title=${t("chart.balance")} time=${t("chart.day")} amount=${t("amount")} points=${s} ends=${o} />`}var Rn=()=>z(g("lines:read")?"/reports/summary":null,{days:31,tree:D.haveBelow()?v().id:void 0}),qo=["extensions","activations","trials"],To=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function En({of:{value:e,problem:s,reload:o}}){let a=e?.lines,r=e&&It(e.days.slice(-1)),i=e&&It(Cn(e.days)),l=(c,m,$)=>n`<div class="tile" data-figure=${c}>
    <dt>${t("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${$===null?" ":t("figures.this-month",{amount:$})}</dd></div>`;return n`<section class="panel numbers"><h2>${t("figures")}</h2>
    ${s&&n`<${H} problem=${s} retry=${o} />`}
    <dl class="tiles">
      ${qo.map(c=>l(c,r&&M(r[c]),i&&M(i[c])))}
      ${l("spent",r&&T(r.spent),i&&T(i.spent))}
    </dl>
    <ul class="tiles">${To.map(([c,m])=>n`<li key=${c}><${C} class="tile" to=${m} data-count=${c}>
      <span class="figure">${a?M(a[c])+(a.capped?"+":""):" "}</span><span>${t(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function Ln({of:{value:e}}){let s=e&&e.days.map(a=>({key:a.day,name:vs(a.day),value:O(a.spent)})),o=s?[s[0].name,t("chart.today",{day:s[s.length-1].name})]:[" ",""];return n`<section class="panel"><${Ut} bars title=${t("figures.spent-daily")} time=${t("chart.day")} amount=${t("amount")} none=${t("figures.spent-none")} points=${s} ends=${o} /></section>`}var ht=(e,s)=>n`<${Ro} key=${e.id} line=${e} filter=${s} />`;function Ro({line:e,filter:s}){let o=it.use()[e.id],a=At.use()===e.id,r=o&&o.updatedAt>e.updatedAt?{...e,...o}:e,[i,l]=x(""),[c,m,$]=hn(s,e.id),{id:u,username:p,expDate:d,isTrial:w,effective:S,status:y}=r,L=!!y&&S!=="suspended"&&S!=="owner_blocked",k=L&&!w&&xs(d)<=2,_=s&&q.get().query.get("q")||"",h=Lt(p,_)?null:[r.whatsapp,r.notes].find(A=>Lt(A,_)),b=Eo(()=>{s&&!c&&$()});return n`<tr class=${[c&&"is-picked",L&&!w&&"is-active",!y&&!w&&"is-expired"].filter(Boolean).join(" ")} data-id=${u} ...${s?b:{}}>
    ${s&&n`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${$} aria-label=${t("select.line",{name:p})} /></label></td>`}
    <th scope="row" class="name clip"><${C} to=${"/lines/"+u} title=${p} translate=${!1} data-row><${Ne} text=${p} by=${_} /><//></th>
    <td class="st"><${Ie} line=${r} /></td>
    <td class="expiry clip">${!i&&n`<span title=${I(d)}>${Me(d)}</span> <span class=${k?"rel soon":"rel"}>${Ss(d)}</span>`}<span class="told" role="status">${i&&n`<${f} name="check" />${i}`}</span>${h&&n`<span class="hit-in"><${Ne} text=${h} by=${_} /></span>`}</td>
    <td class="phone clip"><${Ne} text=${r.whatsapp} by=${_} /></td>
    <td class="notes clip quiet">${r.owner!==v().id&&n`<${Lo} id=${r.owner} />`}${r.notes&&n`<span class="note-text"><${Ne} text=${r.notes} by=${_} /></span>`}</td>
    <td class="does"><span>
      ${g("lines:spend")&&(w?n`<${C} class="button row-act" to=${`/lines/${u}?do=activate`} aria-label=${t("line.activate-title",{name:p})}>${t("line.activate")}<//>`:n`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${t("line.extend-title",{name:p})}
          onClick=${()=>{l(""),At.set(u)}}>${t("line.extend")}</button>`)}
      <${ln} line=${r} />
      ${g("lines:write")&&n`<${X} label=${t("more-about",{name:p})}>
        <${C} to=${`/lines/${u}?do=${w?"describe":"edit"}`}><${f} name="pencil" />${t("line.edit")}<//>
        <${C} to=${`/lines/${u}?do=${r.suspended?"resume":"suspend"}`}><${f} name=${r.suspended?"play":"circle-pause"} />${t(r.suspended?"line.resume":"line.suspend")}<//>
        ${g("lines:delete")&&n`<hr /><${C} class="bad" to=${`/lines/${u}?do=delete`}><${f} name="trash-2" />${t("line.delete")}…<//>`}<//>`}
      ${a&&!w&&n`<${pn} line=${r} then=${A=>{A&&l(t("line.renewed",{until:Me(A)}))}} />`}
    </span></td>
  </tr>`}function Eo(e){let s=ae({timer:0,touch:!1,done:!1}),o=()=>clearTimeout(s.current.timer),a=()=>{o(),s.current.done||e(),s.current.done=!0};return{onPointerDown:r=>{let i=r.pointerType==="touch";s.current={touch:i,done:!1,timer:i?setTimeout(a,500):0}},onContextMenu:r=>{s.current.touch&&(r.preventDefault(),a())},onPointerUp:o,onPointerCancel:o,onPointerMove:o,onClickCapture:r=>{s.current.done&&(s.current.done=!1,r.preventDefault(),r.stopPropagation())}}}function Lo({id:e}){let s=st(e);return n`<span class="owner">${s?t("line.owner-name",{name:s}):t("line.owner-id",{id:e})}</span>`}function We(e,s={}){let o=Number(e.counterparty),a=e.line_username||e.counterparty_username,r=e.actor_name!==hs()&&e.actor_name,i=n`<span class="name">${t("kind."+e.kind)}${a&&n` <span translate=${!1}>${a}</span>`}${r&&n` <span class="quiet">${t("event.by",{name:r})}</span>`}<span class="quiet notes">${e.notes}</span></span>
    <span class="amount ${e.amount.startsWith("-")?"out":"in"}" translate=${!1}>${Ge(e.amount)}</span>
    <span class="quiet">${I(e.at)}</span><span class="quiet">${ee("balance-after",{amount:T(e.balance)})}</span>`,l=e.line&&g("lines:read")?"/lines/"+e.line:o>0&&o!==v().id&&D.seeResellers()?"/resellers/"+o:"";return l?n`<${C} class="row movement" to=${l} ...${s}>${i}<//>`:n`<div class="row movement">${i}</div>`}var An=()=>`resellerd${ie} started ${ce(v())}`;function Dn(e){let{messages:s,reading:o}=Oe(),[a,r]=x(()=>!!le(An())),l=!v().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(g)&&!a&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some(u=>u.activations||u.extensions),c=ve(l?"/lines":null,{isTrial:0,limit:1},1),m=sn("server",s),$=!!e&&(e.lines.trials>0||e.days.some(u=>u.trials>0));return{reading:o,known:!l||!o&&!!(c.value||c.problem),takes:l&&c.value?.data.length===0,server:m,tried:$,at:m?$?2:1:0,leave:()=>{re(An(),"yes"),r(!0)}}}function Mn({of:{server:e,tried:s,at:o,leave:a}}){let r=lt().prices?.find(m=>m.period==="1 month"),i=[!!e,s,!1],l="/lines?show=trials",c=(m,$,u,p)=>{let d=["server","trial","customer"].indexOf(m),w=t("start."+m);return n`<li class=${i[d]?"is-done":d===o?"is-now":""} aria-current=${d===o?"step":void 0} data-step=${m}>
      <span class="step" aria-hidden="true">${i[d]?n`<${f} name="check" />`:d+1}</span>
      <div><h2>${w}${i[d]&&n`<span class="hush"> ${t("start.done")}</span>`}</h2><p class="quiet text">${$}</p>${d===o&&p}</div>
      ${i[d]&&n`<${C} class="button ghost only" to=${u} aria-label=${t("start.change",{step:w})} title=${t("start.change",{step:w})}><${f} name="pencil" /><//>`}</li>`};return n`<section class="panel first-steps"><ol class="steps">
      ${c("server",e||t("start.server-why"),"/messages",n`<${C} class="button primary" to="/messages">${t("start.server-do")}<//>`)}
      ${c("trial",t("start.trial-why"),l,n`<${Fe} />`)}
      ${c("customer",r?t("start.customer-costs",{cost:P(r.credits)}):t("start.customer-why"),"/lines",n`<${C} class="button primary" to=${l}>${t("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${t("start.at",{done:i.filter(Boolean).length,all:i.length})}</span><button type="button" class="button link" data-later onClick=${a}>${t("start.later")}</button></p></section>`}var Ao=24*36e5,Do=N("Queue",!0),ze=7,Mo=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),gt=()=>!v().is_admin&&g("users:write");function Pn(){let e=q.use().query.get("do"),s=Ve("picked");return e==="extend"&&s&&g("lines:spend")?n`<${mt} action="extend" picked=${s} said=${[t("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&gt()?n`<${Po} />`:n`<${Io} />`}function Po(){let e=Ue(v().id);return n`<${E} title=${t("nav.home")} up="/"><${oe} of=${e}>${s=>n`<${pt} account=${v()} alerts=${s} />`}<//><//>`}function Io(){let e=!!v().is_admin,s=g("lines:read"),o=g("events:read"),a=!o&&g("ledger:read"),[r]=x(de),i=U=>new Date(r+U*Ao).toISOString(),l=Rn(),c={isTrial:0,effective:"running",expires_after:i(0),expires_before:i(7)},m={isTrial:0,effective:"expired",expires_after:i(-14),sort:"latest_expiry"},$=ve(s?"/lines":null,{...c,limit:ze},ze),u=ve(s?"/lines":null,{...m,limit:ze},ze),p=ve(o?"/events":a?`/users/${v().id}/ledger`:null,o?{limit:5,order:"desc",type:Mo}:{limit:5},5),d=z(g("manage")?"/webhooks":null),w=Dn(l.value),{takes:S}=w,[y,L]=x(null),k=ae(!1);k.current||=[s&&$,s&&u,s&&l,(o||a)&&p,g("manage")&&d].every(U=>!U||U.value||U.problem)&&w.known&&(!gt()||!w.reading);let _=l.value?.lines.expiring_7d||0,h=l.value?.lines.expired_14d||0,b=s&&_>0&&g("lines:spend"),A=(U,Oo)=>n`<button type="button" class="button" data-queue onClick=${()=>L(U)}><${f} name="message-circle" />${Oo}</button>`;return n`<${E} title=${t(S?"start":"nav.home")} actions=${g("lines:write")&&!(S&&w.at===1)&&n`<${Fe} plain=${b||S} />`}>
    ${k.current?n`<${Ho} of=${d.value?.data} /><div class="cols">
      ${S?n`<div class="stack"><${Mn} of=${w} /></div>`:s&&n`<div class="stack">
        <${bt} title=${_?t("home.soon-n",{n:_,count:M(_)}):t("home.soon")} icon="calendar-clock" of=${$} lines none=${t("home.soon-none")} all="/lines?when=soon&show=official" n=${_}
          actions=${_>0&&n`${b&&n`<button type="button" class="button primary" onClick=${()=>K("extend",{picked:{filter:c}})}>${t("home.renew",{n:_,count:M(_)})}</button>`}
            ${A(c,t("home.remind",{n:_,count:M(_)}))}`} />
        <${bt} title=${h?t("home.past-n",{n:h,count:M(h)}):t("home.past")} icon="user-round-x" of=${u} lines none=${t("home.past-none")} all="/lines?when=past&show=official" n=${h}
          actions=${h>0&&A(m,t("home.win-back"))} />
        <${En} of=${l} />
      </div>`}
      <div class="stack">
        ${e?n`${g("ledger:read")&&n`<${on} />`}<${jo} />`:n`<${Bo} lines=${l.value?.lines} />`}
        ${s&&!S&&n`<${Ln} of=${l} />`}
        ${o?n`<${bt} title=${t("home.activity")} of=${p} row=${Ws} none=${t("activity.none")} all="/activity" />`:a&&n`<${bt} title=${t("home.movements")} of=${p} row=${U=>We(U)} none=${t("home.movements-none")} all="/statement" />`}
      </div>
    </div>`:n`<${et} />`}
    ${y&&n`<${Do} query=${y} onClose=${()=>L(null)} />`}
  <//>`}function Bo({lines:e}){let s=Z.use(),o=ws.use(),a=Ue(v().id),{prices:r}=lt(),i=r?.find(u=>u.period==="1 month"),l=a.value?.balance_low,c=s&&(a.value||a.problem||!g("users:read"))?$t(s.credits,l,i?.credits):"",m=s&&i?O(s.credits)/O(i.credits):0n,$=l?t("alert.is",{amount:T(l)}):t(a.value?"alert.new":"alert");return n`<section class="panel own">
    <header><h2>${t("home.balance")}</h2>${gt()&&n`<button type="button" class="button ghost only" aria-label=${$} title=${$} data-alert onClick=${()=>K("alert")}><${f} name="bell" /></button>`}</header>
    <div class="balance-row"><${tt} of=${s} />${gt()&&n`<${No} balance=${s?.credits} lines=${e} low=${!!c} />`}</div>
    ${!s&&o&&n`<${H} problem=${o} retry=${ys} />`}
    <p class="stock">${c?n`<span data-low=${c}><${ke} tone="warn" icon="circle-alert">${t("home.low",{amount:T(c)})}<//></span>`:i&&m>0n?n`<span class="quiet">${t("home.enough",{n:Number(m),count:M(m),period:an(i.period)})}</span>`:" "}</p>
  </section>`}function No({balance:e="0",lines:s,low:o}){let{staff:a,username:r}=v(),i=Oe().messages?.inherited||{},l=s?.expiring_7d||0,c=t(l?"ask.message-soon":"ask.message",{n:l,count:M(l),name:a?t("acts-for",{name:a.username,account:r}):r,balance:P(e)});return n`<div class=${o?"ask urgent":"ask"}><a class="button" href=${qn(i,c)} target="_blank" rel="noopener noreferrer"><${f} name="hand-coins" />${t("ask")}</a>
    ${!i.whatsapp&&!i.telegram&&n`<${Be} text=${c} label=${t("ask.copy")} />`}</div>`}function jo(){let{value:e,problem:s}=z("/service");return s?null:n`<section class="panel service"><h2>${t("home.service")}</h2>
    <${G} of=${[[t("home.version"),e?e.version:" "],[t("home.store"),e?e.store:" "],[t("home.started"),e?I(e.started_at):" "],[t("home.backup"),e?e.last_backup_at&&I(e.last_backup_at):" "]]} /></section>`}function Ho({of:e=[]}){let s=e.filter(o=>!o.enabled&&o.disabled_reason!=="requested");return s.length>0&&n`<${W} tone="unsure"><p><strong>${t("home.still",{n:s.length})}</strong></p>
    ${s.map(o=>n`<p key=${o.id}><${C} to=${"/webhooks/"+o.id}>${Qs(o)}<//> ${Vs(o)[0]}</p>`)}<//>`}function bt({title:e,icon:s="",of:o,row:a,lines:r=!1,none:i,all:l,n:c=0,actions:m}){let $=o.value?.next_cursor||!r&&o.value?.data.length?"all":o.value?.data.length>3?"all thumb":"";return n`<section class=${r?"panel task":"panel"}><header><h2>${s&&n`<${f} name=${s} />`}${e}</h2>${m&&n`<div class="buttons">${m}</div>`}</header>
    <${oe} of=${o}>${({data:u,next_cursor:p})=>n`
      ${u.length?r?n`<table class="table customers few"><tbody>${u.slice(0,ze).map(d=>ht(d))}</tbody></table>`:n`<ul class="rows">${u.slice(0,5).map(d=>n`<li key=${d.id}>${a?.(d)}</li>`)}</ul>`:n`<p class="quiet">${p?t("home.unsure"):i}</p>`}
      ${$&&n`<p class=${$}><${C} to=${l}>${c?t("home.all-n",{n:c,count:M(c)}):t("home.all")}<//></p>`}`}<//>
  </section>`}var Wt=["running","expired","suspended","owner_blocked"],Uo=["newest","expiry","latest_expiry","username"],In=["q","username","mine","owner","tree","show","status","when"],be={soon:["expiring_7d",{when:"soon",show:"official",status:""}],past:["expired_14d",{when:"past",show:"official",status:""}],running:["running",{when:"",show:"official",status:"running"}],trials:["trials",{when:"",show:"trials",status:"running"}]},Bn=e=>e.get("days")?"":Object.keys(be).find(s=>Object.entries(be[s][1]).every(([o,a])=>(o==="status"?Te(e):e.get(o)||"")===a))||"",wt=e=>Number(/^([1-9]|1[0-4])$/.exec(e.get("days")||"")?.[0]||7),Te=e=>Wt.find((s,o)=>[s,String(1-o)].includes(e.get("status")||""))||"";function Nn(e,s,o){let a=e.get("when"),r=e.get("show"),i=Te(e),l=c=>new Date(s+c*864e5).toISOString();return{q:e.get("q"),username:e.get("username"),owner:e.get("mine")?o:e.get("owner"),tree:e.get("tree"),isTrial:r==="trials"?"1":r==="official"?"0":void 0,effective:i||(a==="soon"?"running":a==="past"?"expired":void 0),expires_after:a==="soon"?l(0):a==="past"?l(-14):void 0,expires_before:a==="soon"?l(wt(e)):a==="past"&&i&&i!=="expired"?l(0):void 0}}function zt(e){let s=e.get("when"),o=Te(e);return s==="past"||o==="expired"?"latest_expiry":s==="soon"||o?"expiry":"newest"}var Kt=e=>Uo.find(s=>s===e.get("sort"))||zt(e);function jn(e,s){let o=Kt(e);return o===(s.effective||s.expires_after||s.expires_before?"expiry":"id")?void 0:o}function Hn(e,s,o){let a=e.get("mine")?String(s):e.get("owner");return a?{account:a}:{tree:e.get("tree")||(o?String(s):void 0)}}function Un(e){let s=i=>e.get(i)||"",o=Te(e),a=s("show"),r=s("when");return[{name:"q",key:s("q")&&"filter.text",values:{text:s("q")}},{name:"username",key:s("username")&&"filter.begins",values:{text:s("username")}},{name:"status",key:o&&"filter."+o},{name:"show",key:/^(trials|official)$/.test(a)?"filter."+a:""},{name:"when",key:/^(soon|past)$/.test(r)?"filter.says-"+r:"",values:{n:wt(e)}},{name:"mine",key:s("mine")&&"filter.mine"},...["owner","tree"].map(i=>({name:i,key:s(i)&&"reseller.by-id",values:{id:s(i)}}))].filter(({key:i})=>i)}var Wn=({name:e,label:s,value:o,of:a,choose:r,always:i})=>n`<p class="menu-head">${s}</p>
  ${[...i?[]:[["",t("filter.any")]],...a].map(([l,c])=>n`<button key=${l} type="button" aria-pressed=${o===l} data-filter=${e} data-value=${l} onClick=${()=>r(l)}>
    <${f} name=${o===l?"check":""} />${c}</button>`)}`;function zn(e){let{name:s,label:o,value:a,of:r,choose:i}=e,l=r.find(([c])=>c===a)?.[1];return n`<span class="filter-of" data-of=${s}>
    <${X} label=${l?`${o}: ${l}`:o} look=${l?"filter is-set":"filter"} face=${n`${l?n`<span class="what">${o}:</span> ${l}`:o}${!l&&n`<${f} name="chevron-down" />`}`}><${Wn} ...${e} /><//>
    ${l&&n`<button type="button" class="filter-x" aria-label=${t("filter.remove",{filter:l})} onClick=${()=>i("")}><${f} name="x" /></button>`}
  </span>`}var yt=({of:e,children:s})=>n`<span class="filters-all"><${X} label=${t("filter.more")} look="chip" face=${n`<${f} name="list-filter" />${t("filter.more")}`}>
  ${e.map(o=>n`<${Wn} key=${o.name} ...${o} />`)}${s}<//></span>`;var Wo=e=>Un(e).map(({name:s,key:o,values:a})=>({name:s,text:t(o,a)})),zo={...Object.fromEntries(In.map(e=>[e,""])),days:"",sort:""};function Kn(){let{query:e}=q.use(),[s,o]=x(!1),a=e.get("do")||"",r=Ve("picked"),i=Nn(e,e.get("when")?ds():0,v().id),l=JSON.stringify(i),c=dn().length>0,m=!!fn(l)||s,$=Wo(e);if(Object.hasOwn(Dt,a)&&r&&g(Dt[a]))return n`<${mt} key=${a} action=${a} picked=${r} said=${$.map(({text:h})=>h)} />`;let u={...i,sort:jn(e,i)},p=Kt(e),d=zt(e),w=h=>Q({sort:h===d?"":h}),S=h=>h.map(b=>[b,t("filter."+b)]),y=[{name:"status",label:t("filter.status"),value:Te(e),of:S(Wt)},{name:"show",label:t("filter.show"),value:e.get("show")||"",of:S(["official","trials"])},{name:"when",label:t("filter.when"),value:e.get("when")||"",of:[["soon",t("filter.soon",{n:wt(e)})],["past",t("filter.past")]]},...D.haveBelow()?[{name:"mine",label:t("filter.whose"),value:e.get("mine")||"",of:[["1",t("filter.mine")]]}]:[],{name:"sort",label:t("sort"),value:p,always:!0,of:[d,...["newest","expiry","latest_expiry","username"].filter(h=>h!==d)].map(h=>[h,t("sort."+h)])}].map(h=>({...h,choose:b=>h.name==="sort"?w(b):Q({[h.name]:b,...h.name==="when"&&{days:""}})})),L=$.filter(({name:h})=>!y.some(b=>b.name===h&&b.value)),k=n`<tr>
    ${c&&n`<th class="pick"><${wn} filter=${l} /></th>`}
    <${kt} name="name" label=${t("customer")} orders=${[["username","ascending"]]} order=${p} choose=${w} />
    <th class="st">${t("filter.status")}</th>
    <${kt} name="expiry" label=${t("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${p} choose=${w} />
    <th class="phone">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`,_=()=>{ct.set(null),o(!1)};return n`<${E} title=${t("nav.lines")} actions=${n`<${Pt} query=${u} />
      ${c&&n`<button type="button" class="button ghost only thumb" aria-label=${t("select.some")} title=${t("select.some")} aria-pressed=${m} onClick=${()=>m?_():o(!0)}><${f} name="square-check" /></button>`}
      ${g("lines:write")&&n`<${Fe} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${t("chips")}><${yt} of=${y}><hr /><${Pt} query=${u} look="" /><//><${Ko} query=${e} /></nav>
      ${m?n`<${yn} filter=${l} query=${i} listed=${u} leave=${_} />`:n`<div class="list-bar">${y.map(h=>h.name!=="sort"&&n`<${zn} key=${h.name} ...${h} />`)}
          ${L.map(({name:h,text:b})=>n`<button key=${h} type="button" class="chip is-on" aria-label=${t("filter.remove",{filter:b})} onClick=${()=>Q({[h]:""})}>${b}<${f} name="x" /></button>`)}
          ${$.length>0&&n`<button type="button" class="button link" onClick=${()=>Q(zo)}>${t("filter.clear")}</button>`}</div>`}
      <${xe} path="/lines" query=${u} label=${t("nav.lines")} head=${k} look="customers" count=${Hs} empty=${$.length?t("lines.none-such"):t("lines.none")}
        row=${h=>ht(h,c?l:void 0)} />
    </div>
  <//>`}function kt({name:e,label:s,orders:o,order:a,choose:r}){let i=o.findIndex(([c])=>c===a),l=o[i]?.[1];return n`<th class=${e} scope="col" aria-sort=${l}><button type="button" class="sort" onClick=${()=>r(o[(i+1)%o.length][0])}>${s}<${f} name=${l?l==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function Ko({query:e}){let s=it.use(),o=z("/reports/summary",{days:1,...Hn(e,v().id,D.haveBelow())}),[a]=x(s);j(()=>{s!==a&&o.reload()},[s]);let r=o.value?.lines,i=Bn(e),l=!["status","show","when"].some(m=>e.get(m)),c=(m,$,u,p)=>n`<a key=${m} href=${Je("/lines?"+new URLSearchParams(u))} aria-current=${$?"page":void 0} data-tab=${m}
    onClick=${d=>{d.preventDefault(),Q({...u,days:""})}}>${t("tabs."+m)}${p!==void 0&&n` <b>${M(p)}${r?.capped?"+":""}</b>`}</a>`;return n`${c("all",l,{status:"",show:"",when:""},void 0)}
    ${Object.entries(be).map(([m,[$,u]])=>c(m,m===i,u,r?.[$]))}`}var Re=({form:e})=>n`
  <${F} form=${e} name="country" label=${t("country")} hint=${t("country.hint")} maxlength="64" required />
  <${F} form=${e} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
  <${F} form=${e} name="telegram" label=${t("telegram")} maxlength="64" />
  <${F} form=${e} name="email" label=${t("email")} type="email" inputmode="email" maxlength="254" />
  <${F} form=${e} name="notes" label=${t("notes")} kind="textarea" rows="3" maxlength="2000" />`,Ee=e=>({country:e.country,whatsapp:e.whatsapp.trim()||null,telegram:e.telegram.trim()||null,email:e.email.trim()||null,notes:e.notes.trim()||null});function Qn({id:e}){let{query:s}=q.use(),o=Ze(`/lines/${e}`,!0),{reading:a}=Oe();return n`<${E} title=${o.value?.username||t("line.title")} named=${o.value} up="/lines">
    <${oe} of=${a&&o.value?{loading:!0}:o}>${r=>n`<${Qo} line=${r} doing=${s.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function Qo({line:e,doing:s,changed:o}){let a=mn(e),r=!e.isTrial,i=g("lines:spend"),l=g("lines:write"),c={activate:!r&&i&&Yo,extend:r&&i&&Go,edit:r&&l&&Xo,describe:l&&ta,suspend:l&&sa,resume:l&&na,delete:g("lines:delete")&&oa},m=Object.hasOwn(c,s)&&c[s],$=(u,p=!1)=>n`<button type="button" class=${p?"button primary":"button"} onClick=${()=>K(u)}>${t("line."+u)}</button>`;return m?n`<${m} line=${e} payer=${a} changed=${o} />`:n`
    <p class="glance"><${Ie} line=${e} badge /> <${Rt} at=${e.expDate} /></p>
    ${/suspended|blocked/.test(e.effective||"")&&n`<${W}><p>${t(`line.${e.effective}-means`)}</p><${Jn} line=${e} /><//>`}
    <div class="buttons">
      ${c.extend&&$("extend",!0)}${c.edit&&$("edit")}${c.activate&&$("activate",!0)}
      ${l&&n`${$("describe")}${$(e.suspended?"resume":"suspend")}`}
      ${c.delete&&n`<button type="button" class="button danger-plain" onClick=${()=>K("delete")}>${t("line.delete")}</button>`}
    </div>
    <div class="cols person">
    <${Jo} line=${e} />
    <div class="stack"><section class="panel">
      <h2>${t("line.record")}</h2>
      <${G} of=${[[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Xe(e.country)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("line.owner"),e.owner===v().id?null:a?.username||t("reseller.by-id",{id:e.owner})],[t("line.external-id"),e.external_id],[t("line.platform"),e.idPlatform],[t("line.id"),e.id],[t("created"),I(e.createdAt)],[t("changed"),I(e.updatedAt)]]} />
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${t("line.metadata")}</h2>
      <${G} of=${Object.entries(e.metadata).map(([u,p])=>[n`<span class="name" translate=${!1}>${u.split(/(?<=_)/).map(d=>n`${d}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${p||"—"}</span>`])} />
    </section>`}</div>
    <${Vo} line=${e.id} />
    </div>`}var Vo=({line:e})=>n`<${ot} of=${{line:e}} latest=${nt({line:e})} />`;function Jo({line:e}){let[s,o]=x(""),a=s||tn(e,de()),r=nn(a,e),i=$e(e.whatsapp,e.country),l=dt(e.telegram),c=(m,$,u)=>n`<a class=${$==="send"?"button":"button send"} href=${m} target="_blank" rel="noopener noreferrer"><${f} name=${$} />${u}</a>`;return n`<section class="panel">
    <h2>${t("line.access")}</h2>
    <${G} of=${[[t("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Be} text=${e.username} label=${t("line.copy-name")} /></span>`],[t("password"),e.password===null?n`<span class="quiet">${t("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${e.password}</code><${Be} text=${e.password} label=${t("line.copy-password")} /></span>`]]} />
    <fieldset class="choice few short"><legend class="hush">${t("line.message")}</legend>
      ${en.map(m=>n`<label key=${m}><input type="radio" name="message" value=${m} checked=${m===a} onChange=${()=>o(m)} /><span>${t("messages."+m)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${a}>${r}</p>
    <div class="buttons">
      ${c(_e(i,r),"message-circle",i?t("line.whatsapp-to",{number:Ns(i)}):t("line.whatsapp"))}
      ${c(ft(l,r),"send",l?t("line.telegram-to",{name:"@"+l}):t("line.telegram"))}
      <${Es} text=${r} label=${t("line.copy")} />
    </div>
    ${e.whatsapp&&!i&&n`<p class="quiet">${t("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
  </section>`}function Yo({line:e,payer:s,changed:o}){let a=t("line.activate-title",{name:e.username}),r=J({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:a,payer:e.owner,fields:{username:e.username,password:e.password||"",credits:"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:i,fields:l}=r;return Y(r,()=>{o(i),R(B(t("line.activated",{name:i.username,until:I(i.expDate)}),{payer:e.owner,key:r.key}))}),n`<section class="panel"><h2>${ee("line.activate-title",{name:e.username})}</h2>
    <${V} form=${r} submit=${l.credits?t("line.activate-for",{cost:P(l.credits)}):t("line.activate")} ready=${l.credits!==""} onClose=${()=>R()}
      onSubmit=${()=>r.send({...l,whatsapp:l.whatsapp.trim()||null,notes:l.notes.trim()||null})}>
      <${rn} form=${r} />
      <${$n} payer=${s} form=${r} />
      <${Vn} form=${r} />
    <//>
  </section>`}var Vn=({form:e,whatsapp:s=!1})=>n`
  <${F} form=${e} name="username" label=${t("username")} maxlength="64" required />
  <${F} form=${e} name="password" label=${t("password")} minlength="4" maxlength="128" required />
  <${F} form=${e} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required=${s} />
  <${F} form=${e} name="country" label=${t("country")} hint=${t("country.hint")} maxlength="64" required />
  <${F} form=${e} name="notes" label=${t("notes")} kind="textarea" rows="3" maxlength="2000" />`,Go=({line:e,payer:s,changed:o})=>n`<section class="panel"><h2>${ee("line.extend-title",{name:e.username})}</h2>
  <${un} line=${e} payer=${s} onClose=${()=>R()} then=${(a,r)=>{o(a),R(B(t("line.extended",{name:a.username,until:I(a.expDate)}),{payer:e.owner,key:r}))}}><p><${Ie} line=${e} /> <${Rt} at=${e.expDate} /></p><//>
</section>`;function Xo({line:e,changed:s}){let o=t("line.edit-title",{name:e.username}),a=J({name:"edit "+e.id,method:"PATCH",path:"/lines/"+e.id,title:o,fields:{username:e.username,password:e.password||"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:r,fields:i}=a;return Y(a,()=>{s({...e,...r}),R(B(t("line.edited",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${V} form=${a} submit=${t("save")} onSubmit=${()=>a.send({...i,notes:i.notes.trim()||null})} onClose=${()=>R()}>
      <${Vn} form=${a} whatsapp />
    <//>
  </section>`}var Zo=e=>Object.entries(e||{}).map(([s,o])=>`${s}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function ea(e){let s=new Map,o="",a="";for(let r of e.split(`
`))if(s.size&&r.startsWith("  "))s.set(o,s.get(o)+`
`+r.slice(2));else if(r.trim()){let[,i="",l=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||s.has(i))&&(a||=t("line.metadata.row",{row:r})),s.set(o=i,l)}return{metadata:s.size?Object.fromEntries(s):null,wrong:a}}function ta({line:e,changed:s}){let o=t("line.describe-title",{name:e.username}),a=J({name:"describe "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:o,fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",external_id:e.external_id||"",metadata:Zo(e.metadata||null)}}),{answer:r,fields:i}=a,{metadata:l,wrong:c}=ea(i.metadata),[m,$]=x(a.restored);return Y(a,()=>{s(r),R(B(t("line.described",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${V} form=${a} submit=${t("save")} unclear=${!!c} onClose=${()=>R()}
      onSubmit=${()=>a.send({...Ee(i),external_id:i.external_id.trim()||null,metadata:l})}>
      <${Re} form=${a} />
      <${F} form=${a} name="external_id" label=${t("line.external-id")} hint=${t("line.external-id.hint")} maxlength="64" />
      <${F} form=${a} name="metadata" label=${t("line.metadata")} hint=${t("line.metadata.hint")} wrong=${m&&c} kind="textarea"
        rows=${Math.min(i.metadata.split(`
`).length+3,21)} onBlur=${()=>$(!0)} />
    <//>
  </section>`}var Jn=({line:{suspension_reason:e}})=>e&&n`<${G} of=${[[t("reason"),n`<span class="text">${e}</span>`]]} />`,Yn=({line:{id:e,username:s},changed:o,name:a,...r})=>n`<${at} name=${`${a} ${e}`} path=${`/lines/${e}/suspension`}
  title=${t(`line.${a}-title`,{name:s})} submit=${t("line."+a)} ...${r}
  then=${i=>{o(i),R(B(t(`line.${a}-done`,{name:s})))}} />`,sa=({line:e,changed:s})=>n`<${Yn} line=${e} changed=${s} name="suspend" method="PUT" danger meaning=${t("line.suspended-means")} fields=${{reason:""}}>
  ${o=>n`<${rt} form=${o} name=${e.username} />`}<//>`,na=({line:e,changed:s})=>n`<${Yn} line=${e} changed=${s} name="resume" method="DELETE" meaning=${t("line.resume-meaning")}>${()=>n`<${Jn} line=${e} />`}<//>`;function oa({line:e}){let s=t("line.delete-title",{name:e.username}),o=J({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:s,fields:{typed:""},secret:["typed"]});return Y(o,()=>us("/lines",B(t("line.deleted",{name:e.username})))),n`<section class="panel"><h2>${s}</h2>
    <${V} form=${o} danger submit=${t("line.delete")} ready=${me(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>R()}>
      <p>${t("line.delete-meaning")}</p>
      <${F} form=${o} name="typed" label=${t("line.delete-type",{name:e.username})} required />
    <//>
  </section>`}function Gn({name:e,label:s}){let o=q.use().query.get(e)||"",[a,r]=x(o),i=ae(0);return j(()=>{i.current||r(o)},[o]),j(()=>()=>clearTimeout(i.current),[]),n`<label class="search"><${f} name="search" />
    <input type="search" value=${a} onInput=${c=>{let m=c.target.value;r(m),clearTimeout(i.current),i.current=setTimeout(()=>{i.current=0,Q({[e]:me(m)})},250)}} aria-label=${s} placeholder=${s} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var aa=500,Xn={low:e=>!!He(e),blocked:e=>!e.active_tree},Zn=({credits:e},{credits:s})=>O(e)<O(s)?-1:+(O(e)>O(s)),eo=["balance","-balance"];function to(e){let s=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?s.set(o,a):s.delete(o);ps({},s.size?"?"+s:""),q.set({...q.get(),query:s})}function so(){let{query:e}=q.use(),[s,o]=x(null);if(e.get("do")==="create"&&D.createResellers())return n`<${ra} />`;let a=e.get("q"),r=!!e.get("all")||!!a,i=s!==!1&&e.get("view")||"",l=s!==!1&&eo.find(k=>k===e.get("sort"))||"",c=r?{q:a}:{master:v().id},m=(k,_)=>k.filter(h=>h.id!==v().id&&Xn[_]?.(h)!==!1),$=k=>s&&!a&&m(s,k).length,u=k=>{let _=m(k,i);return l?_.sort((h,b)=>l==="balance"?Zn(h,b):Zn(b,h)):_},p=(k,_,h,b)=>n`<a key=${k} href=${Je("/resellers?"+new URLSearchParams(h))} aria-current=${_?"page":void 0} data-tab=${k}
    onClick=${A=>{A.preventDefault(),(h.all?r&&!a:!r)?to({view:h.view||""}):Q({q:"",all:"",view:"",...h})}}>${t("resellers."+k)}${typeof b=="number"&&n` <b>${M(b)}</b>`}</a>`,d={name:"sort",label:t("sort"),value:l,always:!0,of:["",...eo].map(k=>[k,t("sort."+(k||"oldest"))]),choose:k=>to({sort:k})},w=s?n`<${kt} name="num bal" label=${t("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${l} choose=${d.choose} />`:n`<th class="num bal">${t("balance")}</th>`,[S,...y]=t("reseller.new").split(" "),L=n`<tr><th class="name">${t("reseller.title")}</th>${w}<th class="sit">${t("filter.status")}</th><th class="last">${t("reseller.recharged")}</th>
    <th class="tel">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`;return n`<${E} title=${t("nav.resellers")} actions=${n`<${Mt} of="users" query=${c} />
      ${D.createResellers()&&n`<button type="button" class="button primary" onClick=${()=>K("create")}><${f} name="plus" /><span>${S}<span class="words"> ${y.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${t("chips")}><${yt} of=${s?[d]:[]}><hr /><${Mt} of="users" query=${c} look="" /><//>
        ${p("direct",!r&&!i,{},!r&&$(""))}
        ${s!==!1&&Object.keys(Xn).map(k=>p(k,i===k,{view:k,...e.get("all")&&{all:"1"}},$(k)))}
        ${p("all",r&&!i,{all:"1"},r&&$(""))}</nav>
      <div class="filters" role="search"><${Gn} name="q" label=${t("resellers.search")} /></div>
      <${xe} path="/users" query=${c} row=${jt} label=${t("nav.resellers")} head=${L} look="resellers" size=${aa} arrange=${u} told=${o}
        count=${k=>t("resellers.count",{n:k,count:M(k)})} empty=${t(a||i?"resellers.none-such":"resellers.none")} />
    </div>
    <${ut} then=${fe} />
  <//>`}function ra(){let e=Z.use(),s=J({name:"create",method:"POST",path:"/users",title:t("reseller.new"),secret:["password"],fields:{username:"",password:Js(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:he.get()}}),o={...s.fields,country:s.fields.country??e?.country??""},a={...s,fields:o},{answer:r}=a,i=Se(o.credits,!0),l=a.frozen?a.said().credits:i.amount;Y(a,()=>{let m=r.credits!=="0";zs.set({of:"reseller "+r.id,secret:o.password}),we("/resellers/"+r.id,{replace:!0,state:B(t("reseller.created",{name:r.username}),m?{payer:r.id,key:a.key}:{})})});let c=()=>a.send({username:o.username,password:o.password,is_master:o.is_master,credits:l,language:o.language,...Ee(o)});return n`<${E} title=${t("reseller.new")} up="/resellers"><section class="panel">
    <${V} form=${a} submit=${l&&O(l)>0n?t("reseller.create-amount",{amount:P(l)}):t("reseller.create")} unclear=${!!i.wrong} onSubmit=${c} onClose=${()=>R()}>
      <${F} form=${a} name="username" label=${t("username")} maxlength="64" required />
      <${F} form=${a} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!o.is_master} disabled=${a.frozen}
        onChange=${m=>a.set({is_master:m.target.checked?1:0})} />${t("reseller.is-master")}</label>
      ${g("credits:move")&&n`<${Ce} form=${a} typed=${i} label=${t("reseller.first-credits")} hint=${t(v().is_admin?"amount.issued":"amount.own")} />`}
      <${Re} form=${a} />
      <${F} form=${a} name="language" label=${t("language")} kind="select">
        ${Object.entries(De).map(([m,$])=>n`<option key=${m} value=${m} lang=${m}>${$}</option>`)}<//>
    <//>
  </section><//>`}var Qt=["month","last","dates"],Qe=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(s=>String(s).padStart(2,"0")).join("-"),Ke=(e,s)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+s);function no(e){let[,s,o,a]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return s?new Date(Number(s),Number(o)-1,Number(a)):void 0}function oo(e,s){let o=Qt.find(c=>c===e.get("period"))||"month",a=Ke(new Date(s),0),r=c=>new Date(a.getFullYear(),a.getMonth()+c,1);if(o==="last")return{which:o,from:r(-1),to:r(0),last:Ke(r(0),-1)};if(o==="month")return{which:o,from:r(0),to:r(1),last:a};let[i,l]=[no(e.get("from"))||r(0),no(e.get("to"))||a].sort((c,m)=>c.getTime()-m.getTime());return{which:o,from:i,to:Ke(l,1),last:l}}function ao(e){let s=0n,o=0n;for(let{amount:a}of e)a.startsWith("-")?o-=O(a):s+=O(a);return{came:se(s),went:se(o)}}function ro(e,s,{from:o,last:a}){let r=[],i=s,l=e.length-1;for(let c=o;c<=a;c=Ke(c,1)){for(let m=Ke(c,1);l>=0&&new Date(e[l].at)<m;l--)i=e[l].balance;r.push({day:c,balance:i})}return r}async function la(e,s,o){let a=[];for(let r="";;){let{data:i,next_cursor:l,opening:c,closing:m}=await ms("GET",e,{query:{...s,limit:500,cursor:r},signal:o});if(a.push(...i),l===null)return{entries:a,opening:c,closing:m};r=l}}function vt({account:e}){let{query:s}=q.use(),o=oo(s,de()),a={from:o.from.toISOString(),to:o.to.toISOString()},r=`/users/${e.id}/ledger`,i=z(r,a,la),l=i.value,c=ks(o.from,o.last),m=!e.is_admin&&n`<${ia} of=${l} />`,$=p=>Q({period:p==="month"?"":p,from:"",to:"",...p==="dates"&&{from:Qe(o.from),to:Qe(o.last)}}),u=(p,d)=>n`<label>${t("statement."+p)} <input class="input" type="date" name=${p} required
    value=${Qe(d)} max=${Qe(new Date(de()))} onChange=${w=>{w.target.value&&Q({[p]:w.target.value})}} /></label>`;return n`
    <${Gs} title=${t("print.statement",{name:e.username})} more=${()=>n`<p>${c}</p>
      ${l?n`${m}<ul class="rows">${l.entries.map(p=>n`<li>${We(p)}</li>`)}</ul>`:t("list.loading")}`} />
    <div class="filters period">
      <div class="seg" role="group" aria-label=${t("statement.period")}>
        ${Qt.map(p=>n`<button key=${p} type="button" aria-pressed=${p===o.which} onClick=${()=>$(p)}>${t("statement."+p)}</button>`)}
      </div>
      ${o.which==="dates"&&n`${u("from",o.from)}${u("to",o.last)}`}
      <span class="quiet" role="status">${c}</span>
    </div>
    ${i.problem&&n`<${H} problem=${i.problem} retry=${i.reload} />`}
    ${m&&n`${m}
      <${Tn} days=${l&&ro(l.entries,l.opening,o)} />`}
    <div class="buttons">
      <a class="button" href=${bn("ledger",{account:e.id,...a})} download=""><${f} name="download" />${t("export")}</a>
      <button type="button" class="button" disabled=${!l} onClick=${()=>print()}>${t("print")}</button>
    </div>
    <${xe} path=${r} query=${a} row=${p=>We(p,{"data-row":!0})}
      label=${t("nav.statement")} empty=${t("statement.none")} />`}function ia({of:e}){let{came:s,went:o}=ao(e?e.entries:[]),a=i=>O(i)?Ge(i):"0",r=[[t("statement.opening"),e&&T(e.opening)],[t("statement.in"),a(s)],[t("statement.out"),a("-"+o)],[t("statement.closing"),e&&T(e.closing)]];return n`<dl class="sums panel" aria-busy=${!e}>${r.map(([i,l])=>n`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function Le(e){let s=e.id===v().id;return{mine:s,write:g("users:write"),moves:D.manage(e,"credits:move"),blocks:D.manage(e,"users:write"),resets:D.manage(e,"manage"),held:g("users:read")&&(s?!e.is_admin:D.manage(e,""))}}function io({id:e}){let{query:s}=q.use(),o=Ze(`/users/${e}`),a=o.value,[r,i]=x(0),l=Ue(a&&Le(a).held?a.id:null),c=s.get("do")||"",m=a&&ca(a,c),$=a&&Le(a).moves&&/^(topup|reclaim)$/.test(c),u=p=>{if(i(r+1),$)return R(p);fe(p),o.reload()};return Ks(),n`<${E} title=${a?.username||t("reseller.title")} named=${a} up="/resellers" actions=${a&&!m&&n`<${ma} reseller=${a} />`}>
    <${oe} of=${o}>${()=>m?n`<${m} reseller=${a} alerts=${l} />`:n`<${$a} reseller=${a} alerts=${l} turn=${r} />`}<//>
    ${$?n`<${Bt} key=${c} reseller=${a} name=${c} onClose=${p=>p?u(p):R()} />`:n`<${ut} then=${u} />`}
  <//>`}function ca(e,s){let{write:o,held:a,blocks:r,resets:i}=Le(e),l={block:r&&!e.block_reseller&&ha,unblock:r&&e.block_reseller&&ga,contact:o&&lo,password:o&&lo,alert:a&&o&&ya,totp:i&&wa};return Object.hasOwn(l,s)&&l[s]}function ma({reseller:e}){let{mine:s,write:o,moves:a,held:r,resets:i}=Le(e),l=(c,m,$)=>n`<button type="button" onClick=${()=>K(c)}><${f} name=${m} />${$}</button>`;return n`${a&&n`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>te.set({reseller:e,name:"topup"})}><${f} name="plus" />${t("reseller.topup")}</button>`}
    ${o&&n`<button type="button" class="button" onClick=${()=>K("contact")}>${t("reseller.contact")}</button>`}
    ${(a||s||r&&o||i)&&n`<${X} label=${t("more-about",{name:e.username})} look="button only">
      ${a&&n`<button type="button" onClick=${()=>te.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${t("reseller.reclaim")}</button>`}
      ${r&&o&&l("alert","bell",t("alert"))}
      ${s&&n`<${C} to="/sessions"><${f} name="shield-check" />${t("nav.sessions")}<//>`}
      ${i&&n`<hr />${l("totp","shield-x",t("reseller.totp")+"…")}`}<//>`}`}function $a({reseller:e,alerts:s,turn:o}){let{moves:a,blocks:r,mine:i,held:l}=Le(e),{id:c,username:m}=e,$={account:c},u=nt($),p=e.is_admin?"admin":e.is_master?"master":"reseller",d=s.value?.balance_low,w=He(e,d),S=!g("events:read")||u.value||u.problem;return n`
    <p class="glance"><span class="badge"><${f} name="store" />${t("role."+p)}</span>${!e.active_tree&&n`<${Ht} reseller=${e} badge />`}<span class="quiet">${t("reseller.since",{date:Ye(e.createdAt)})}</span></p>
    <${Ys} of=${"reseller "+c} name=${m} number=${$e(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&n`<section class="panel"><h2>${t("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${Pe} of=${e.credits} /></p>
            ${l&&!i&&n`<p class="low">${w&&n`<${f} name="trending-down" />${t(d?"reseller.low-alert":"home.low",{amount:T(w)})}`}</p>`}</div>
          ${a&&n`<div class="adds" role="group" aria-label=${t("reseller.topup")}>${qe.map(y=>n`<button key=${y} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${y}
            onClick=${()=>te.set({reseller:e,name:"topup",amount:y})}>+${y}</button>`)}</div>`}</div></section>`}
        ${g("lines:read")&&n`<${pa} reseller=${e} />`}
        ${S?n`${!!(e.is_master||e.is_admin)&&n`<section class="panel"><h2>${t("reseller.below")}</h2><${Fn} key=${o} master=${c} /></section>`}<${ot} of=${$} latest=${u} />`:n`<${et} />`}
      </div>
      ${S&&n`<div class="stack">
        ${e.block&&n`<section class="panel"><h2>${t("reseller.blocked")}</h2><${co} of=${e.block} /></section>`}
        <section class="panel"><h2>${t("line.record")}</h2><${G} of=${[[t("reseller.role"),t("role."+p)],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Xe(e.country)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("reseller.master"),e.master&&!i?n`<${da} id=${e.master} />`:null],[t("alert.field"),s.value?d?n`<${Pe} of=${d} />`:t("alert.none"):l&&!s.problem?"…":null],[t("reseller.recharged"),e.is_admin?null:I(e.recharge)],[t("line.id"),c],[t("created"),I(e.createdAt)],[t("changed"),I(e.updatedAt)]]} /></section>
        ${r&&n`<section class="panel"><h2>${t(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${t(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?n`<button type="button" class="button" onClick=${()=>K("unblock")}><${f} name="lock-open" />${t("reseller.unblock-title",{name:m})}</button>`:n`<button type="button" class="button danger-plain" onClick=${()=>K("block")}><${f} name="lock" />${t("reseller.block-title",{name:m})}…</button>`}</section>`}
      </div>`}
    </div>
    ${S&&g("ledger:read")&&n`<h2>${t("nav.statement")}</h2><${vt} key=${o} account=${e} />`}`}var ua=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function pa({reseller:{id:e}}){let{value:s,problem:o,reload:a}=z("/reports/summary",{account:e,days:1}),r=s?.lines,i=l=>"/lines?"+new URLSearchParams(gn({owner:e,...l}));return n`<section class="panel"><header><h2>${t("nav.lines")}</h2><${C} class="button link" to=${i({})}>${t("home.all")}<//></header>
    ${o&&n`<${H} problem=${o} retry=${a} />`}
    <ul class="tiles">${ua.map(([l,c,m])=>n`<li key=${l}><${C} class="tile" to=${i(be[l][1])} data-count=${l}>
      <span class="figure">${r?M(r[be[l][0]])+(r.capped?"+":""):" "}</span><span><${ke} icon=${c} tone=${m}>${t("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function da({id:e}){let s=st(e);return e===v().id?s:n`<${C} to=${"/resellers/"+e}>${s||t("reseller.by-id",{id:e})}<//>`}var Vt=({reseller:e,name:s,path:o="block",...a})=>n`<${at} name=${`${s} ${e.id}`} path=${`/users/${e.id}/${o}`}
  title=${t(`reseller.${s}-title`,{name:e.username})} meaning=${t(`reseller.${s}-meaning`)} submit=${t("reseller."+s)} danger=${s!=="unblock"} ...${a}
  then=${()=>R(B(t(`reseller.${s}-done`,{name:e.username}),s==="block"?{undo:fa(e)}:{}))} />`,fa=({id:e,username:s})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:t("reseller.unblock-title",{name:s}),said:t("reseller.unblock-done",{name:s})}),co=({of:{lines:e,reason:s,at:o}})=>n`<${G} of=${[[t("nav.lines"),t("block."+e)],[t("block.since"),o&&I(o)],[t("reason"),s&&n`<span class="text">${s}</span>`]]} />`;function ha(e){let{id:s,username:o}=e.reseller,a=g("lines:read"),r=z(a?"/reports/summary":null,{tree:s,days:1});return n`<${Vt} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>n`
    <${Fs} form=${i} name="lines" label=${t("block.lines")} of=${["run","suspend"].map(l=>[l,t("block."+l),t(`block.${l}-means`)])} />
    ${a&&i.fields.lines==="suspend"&&n`<${oe} of=${r}>${ba}<//>`}
    <${rt} form=${i} name=${o} />`}<//>`}function ba({lines:{running:e,trials:s,capped:o}}){let a=e+s,r=M(a);return n`<p role="status" data-stops=${a}><strong>${t("block.stops",{n:a,lines:o?t("at-least",{n:r}):r})}</strong></p>`}var ga=({reseller:e})=>n`<${Vt} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&n`${e.block.lines==="suspend"&&n`<p>${t("block.over")}</p>`}<${co} of=${e.block} />`}<//>`,wa=e=>n`<${Vt} ...${e} name="totp" method="DELETE" path="totp" />`;function lo({reseller:e}){let s=t("reseller.contact-title",{name:e.username}),{mine:o}=Le(e),a=q.get().query.get("do")==="password",r=J({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:s,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:c}=r;Y(r,()=>R(B(t(l?"password.changed":"reseller.contact-done",{name:c.username}))));let m=()=>r.send({...Ee(r.fields),...!o&&me(i)!==e.username&&{username:i},...!o&&l&&{password:l}});return n`<section class="panel"><h2>${s}</h2>
    <${V} form=${r} submit=${t("save")} onSubmit=${m} onClose=${()=>R()}>
      <${Re} form=${r} />
      ${!o&&n`<details open=${a||!!l||i!==e.username}><summary>${t("reseller.password")}</summary>
        <${F} form=${r} name="username" label=${t("username")} maxlength="64" required />
        <${F} form=${r} name="password" label=${t("password.new")} hint=${t("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var ya=({reseller:e,alerts:s})=>n`<${oe} of=${s}>${o=>n`<${pt} account=${e} alerts=${o} changed=${s.set} />`}<//>`;function mo(){let e=Z.use();return n`<${E} title=${t("nav.statement")}>
    ${!v().is_admin&&n`<${tt} of=${e} />`}
    <${vt} account=${v()} />
  <//>`}var $o=[["/",Pn],["/lines",Kn],["/lines/:id",Qn],["/jobs",N("Jobs")],["/jobs/:id",N("Job")],["/resellers",so],["/resellers/:id",io],["/statement",mo],["/activity",N("Activity")],["/webhooks",N("Webhooks")],["/webhooks/:id",N("OneWebhook")],["/keys",N("Keys")],["/keys/:id",N("OneKey")],["/staff",N("Staff")],["/staff/:id",N("Member")],["/messages",N("Messages")],["/sessions",N("Sessions")],["/proof",N("Proof")],["/prices",N("Prices")]];var Jt=`resellerd${ie} theme`,uo=matchMedia("(prefers-color-scheme: dark)"),po=["device","light","dark"],xt=pe(le(Jt)||"device");function fo(e){e==="device"?localStorage.removeItem(Jt):re(Jt,e),xt.set(e),ho()}function ho(){let e=xt.get();document.documentElement.dataset.theme=e==="device"?uo.matches?"dark":"light":e}uo.addEventListener("change",ho);var Yt=`resellerd${ie} keys off`,Gt=pe(!le(Yt)),ue=pe(!1);function ka(e){e?localStorage.removeItem(Yt):re(Yt,"yes"),Gt.set(e)}function bo(e){let s=document.querySelector("[data-search]");!(s instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),s.focus(),s.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&bo(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let s=e.target instanceof HTMLElement?e.target:document.body,o=s.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!ue.get()){o?s.blur():q.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&R();return}if(!(o||!Gt.get()||ue.get())){if(e.key==="/")bo(e);else if(e.key==="x")(s.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(s.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),ue.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(l=>l===s||(l.closest("tr")||l.previousElementSibling)?.contains(s)),i=r>=0?r+(e.key==="j"?1:-1):a.findIndex(l=>l.getBoundingClientRect().top>=0);if(!a[i])return;e.preventDefault(),a[i].focus(),a[i].scrollIntoView({block:"nearest"})}}});var va=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function go(){let e=ae(null),s=ue.use(),o=Gt.use();return j(()=>{s?e.current?.showModal():e.current?.close()},[s]),n`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>ue.set(!1)}>
    <h2 id="keys">${t("keys.title")}</h2>
    <dl class="facts">${va.map(([a,r])=>n`<div key=${a}><dt>${a.split(" ").map(i=>n`<kbd>${i}</kbd> `)}</dt><dd>${t("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${o} onChange=${a=>ka(a.target.checked)} />${t("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>ue.set(!1)}>${t("close")}</button></div>
  </dialog>`}var Xt=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",D.haveBelow],["/statement","receipt-text","ledger:read"]],Zt={business:[["/prices","tag","",()=>!!v().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!v().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},St=([,,e,s])=>g(e)&&s?.()!==!1,es=e=>t("nav."+(e.slice(1)||"home"));function yo({children:e}){let{path:s}=q.use(),o=Ms.use(),[a,r]=x(!1),i=Ls(a,()=>r(!1)),l="/"+s.split("/")[1],c=xa(),m=([$,u])=>n`<${C} key=${$} to=${$} title=${es($)} aria-current=${$===l?"page":void 0}>
    <${f} name=${u} /><span>${es($)}</span><//>`;return n`
    <a class="skip" href="#main">${t("skip")}</a>
    <nav class="places" aria-label=${t("nav")}>
      <${C} to="/" class="brand" translate=${!1}><${Ct} /><span class="clip">${ne}</span><//>
      ${Xt.filter(St).map(m)}
      <div class="rest" ref=${i}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${f} name="menu" /><span>${t("nav.more")}</span></button>
        ${a&&n`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${$=>{$.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${wo} /></span></div>
          ${Object.entries(Zt).map(([$,u])=>u.some(St)&&n`<div key=${$} class=${"group "+$}><p class="group-name">${t("nav.group."+$)}</p>${u.filter(St).map(m)}</div>`)}
          <div class="narrow"><${_t} /><${Ot} /></div>
        </div>
      </div>
      <${Us} />
    </nav>
    <header class="top" data-who=${c}>
      <${C} to="/" class="start" aria-label=${ne}><${Ct} /><//>
      <${Ca} />
      <${wo} link />
      <${X} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${C} to="/sessions"><${f} name="shield-check" />${t("nav.sessions")}<//>
        <${_t} />
        <button type="button" onClick=${()=>ue.set(!0)}><${f} name="keyboard" />${t("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${Ot} />
      <//>
    </header>
    <${Os} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${o.map($=>n`<${_a} key=${$.id} sent=${$} />`)}<${Is} />
      </div>
      ${[...Xt,...Object.values(Zt).flat()].every(([$,,u])=>$!==l||g(u))?e:n`<${E} title=${t("nav."+l.slice(1))}><${W}><p>${t("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${go} /><${Rs} />`}function xa(){let{staff:e,username:s}=v();return e?t("acts-for",{name:e.username,account:s}):s}var Sa=N("Palette",!0);function Ca(){let[e,s]=x(!1);return n`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>s(!0)}>
    <${f} name="search" /><span class="clip">${t("search")}${g("lines:read")&&n` <span class="desk">${t("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&n`<${Sa} places=${[...Xt,...Object.values(Zt).flat()].filter(St).map(([o,a])=>[o,a,es(o)])} close=${()=>s(!1)} />`}`}function wo({link:e=!1}){let s=Z.use();if(!s||s.is_admin)return null;if(!e)return n`<span class="quiet"><${Pe} of=${s.credits} /></span>`;let o=n`<${f} name="coins" /><${Ts} of=${s.credits} />`;return g("ledger:read")?n`<${C} to="/statement" class="balance">${o}<//>`:n`<span class="balance">${o}</span>`}function _a({sent:e}){let s=Ps(e),o=s.state.use(),[a,r]=x(!1),{path:i}=q.use(),l=e.place&&e.place!==i+location.search;if(j(()=>{r(!1);let m=setTimeout(()=>r(!0),e.place&&!l?5e3:700);return()=>clearTimeout(m)},[l]),j(()=>s.state.watch(()=>{let m=s.state.get();m==="done"&&!e.place&&fe(B(t("form.settled",{title:e.title}),{payer:e.payer,key:s.kept.key})),s.problem&&(m==="refused"||m==="over")&&(s.drop(),fe(B(t("form.not-done",{title:e.title,why:_s(s.problem).text}),{tone:"bad"})))}),[]),!a)return null;let c={problem:s.problem,pays:!!e.payer,tooOld:s.tooOld(),again:()=>s.again(),discard:()=>s.drop()};return n`<div class="toast" data-form=${o}><p>${t("form.pending",{title:e.title})}</p>
    ${l?n`<div class="buttons"><${C} class="button primary" to=${e.place}>${t("form.back")}<//></div>`:o==="sending"?n`<p role="status">${t("form.sending")}</p>`:n`<${qs} form=${c} />`}</div>`}var Ct=()=>Tt?n`<img class="own-logo" src=${Tt} alt="" />`:n`<span class="logo" aria-hidden="true">${ne[0]}</span>`,ko=()=>n`<p class="langs">${Object.entries(De).map(([e,s])=>n`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${he.get()===e}
  onClick=${()=>qt(e).catch(()=>location.reload())}>${s.replace(/ \(.*/,"")}</button>`)}</p>`;function _t(){let[e,s]=x(null),o=a=>{s(null),qt(a).catch(s)};return n`<${Et} icon="sun-moon" label=${t("theme")} value=${xt.use()} choose=${fo} of=${po.map(a=>[a,t("theme."+a)])} />
  <${Et} key=${!!e} icon="languages" label=${t("language")} value=${he.get()} choose=${o} of=${Object.entries(De)} />
  ${e&&n`<div class="toasts"><div class="toast"><div><${H} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function Ot({look:e=""}){let[s,o]=x(null),a=()=>gs().then(()=>we("/",{replace:!0}),o);return n`<button type="button" class=${e} onClick=${a}><${f} name="log-out" />${t("sign-out")}</button>
    ${s&&ye.get().is!=="out"&&n`<${H} problem=${s} retry=${a} />`}`}function vo({ended:e,dropped:s}){let[o,a]=x({username:"",password:"",totp:""}),[r,i]=x(!1),[l,c]=x(null),[m,$]=x(!1);j(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),j(()=>{let S=l&&document.getElementsByName(r?"totp":"password")[0];S instanceof HTMLInputElement&&(S.focus(),S.select())},[l]);let u=async S=>{if(S.preventDefault(),m)return;$(!0),c(null);let{totp:y,...L}={...o,username:me(o.username)};try{await bs(r?{...L,totp:Xs(y)}:L)}catch(k){k.code!=="totp-required"?c(r&&k.code==="invalid-credentials"?new cs("wrong-code"):k):i(!0),$(!1)}},p=()=>{a({...o,password:"",totp:""}),c(null),i(!1)},w={fields:o,frozen:m,problem:l,set:S=>{r&&c(null),a(y=>({...y,...S}))}};return n`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${Ct} />${ne}</p><${E} title=${t("sign-in")}>
    ${e&&n`<${W} tone=${s?"bad":"unsure"}><p>${t(s?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&n`<${W} tone="bad"><p>${t("sign-in.insecure")}</p><//>`}
    <form onSubmit=${u} aria-busy=${m}>
      ${r?n`<p>${t("sign-in.code",{name:o.username})}</p><${Zs} form=${w} name="totp" recovery />`:n`<${F} form=${w} name="username" label=${t("username")} autocomplete="username" maxlength="64" required />
          <${F} form=${w} name="password" label=${t("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${l&&n`<${H} problem=${l} />`}
      <button type="submit" class="button primary wide tall" disabled=${m||!isSecureContext}>${t(m?"form.sending":"sign-in")}</button>
      ${r?n`<button type="button" class="button wide" onClick=${p}>${t("back")}</button>`:n`<p class="quiet small help">${t("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${ko} /></main>`}var ts=new WeakSet,Ae=new Map,ss=new MutationObserver(xo);function xo(e){for(let{target:s,addedNodes:o,removedNodes:a,previousSibling:r,nextSibling:i}of e){let l=s;for(;l&&!ts.has(l);)l=l.parentNode;if(l)continue;for(let $ of o)$ instanceof Text||ts.add($);let c=[...o,r,i].filter($=>$&&ts.has($)),m=c.find($=>!Ae.has($))||c[0];if(m)for(let $ of a)$ instanceof Text&&Ae.set(m,[...Ae.get(m)||[],$])}}function Oa(e){xo(ss.takeRecords());let s=[...Ae].filter(([o])=>o.parentNode).map(([o,a])=>({stand:o,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));Ae.clear();for(let{stand:o,texts:a}of s)o.replaceWith(...a);try{e()}finally{for(let{stand:o,texts:a,was:r,apart:i}of s)if(!(!i||!a.every((l,c)=>l.parentNode&&l.data===r[c]&&(!c||l.previousSibling===a[c-1])))){a[0].before(o);for(let l of a)l.remove();Ae.set(o,a)}ss.takeRecords()}}os.debounceRendering=e=>queueMicrotask(()=>Oa(e));var So=()=>ss.observe(document.body,{childList:!0,subtree:!0});var ge=[];addEventListener("focusin",e=>{ge=[];for(let s=e.target;s instanceof Element;s=s.parentElement)ge.push(s)});addEventListener("focusout",()=>{let[e]=ge;queueMicrotask(()=>{e&&e===ge[0]&&e!==document.activeElement&&ns(e)&&document.hasFocus()&&(ge=[])})});var ns=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),Co=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function Fa(){let[e]=ge,s=document.activeElement;if(!e||e===document.body||s!==e&&s!==document.body)return;if(ns(e)){s!==e&&Co(e);return}if(e.isConnected&&e.matches(":disabled"))return;let o=ge.find(i=>i.isConnected),a=o?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(ns);Co(r||o?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(Fa).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function qa(){let{path:e}=q.use(),s=ye.use();he.use();let[o]=ls(r=>setTimeout(()=>{throw r}));if(o)return n`<main class="alone"><${E} title=${ne}><${W} tone="bad"><p>${t("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${f} name="rotate-cw" />${t("load-again")}</button><//><//></main>`;switch(s.is){case"starting":return null;case"failed":return n`<main class="alone"><${E} title=${ne}>
        <${H} problem=${s.problem} retry=${Ft} />
        <div class="settings"><${_t} /></div><//></main>`;case"blocked":return n`<main class="alone"><${E} title=${t("blocked.title")}>
        <${W} tone="bad"><p>${t("problem.account-blocked")}</p><//><div class="buttons"><${Ot} look="button" /></div><//></main>`;case"out":return n`<${vo} ended=${s.ended} dropped=${s.dropped} />`}if(e==="/sign-in")return we("/",{replace:!0}),null;let a=fs($o,e);return n`<${yo} key=${ce(s.who)}>
    ${a?n`<${a.screen} key=${e} id=${a.id} />`:n`<${E} title=${t("nowhere")}><p><${C} to="/">${t("nav.home")}<//></p><//>`}
  <//>`}function Ta(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var _o="";ye.watch(()=>{let e=ye.get();!("who"in e)||ce(e.who)===_o||(_o=ce(e.who),As(),On(),Ds(),js.set(null),ct.set(null),Ta(),setTimeout(()=>cn().catch(()=>null),2e3))});document.documentElement.dataset.blocked||Ft().then(()=>{document.querySelector(".before")?.remove(),as(n`<${qa} />`,document.body),So()});
//# sourceMappingURL=app.js.map
