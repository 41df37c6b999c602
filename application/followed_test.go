package application_test

import (
	"slices"
	"testing"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/line"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// TestALineThatChangedAndIsGoneIsToldAsDeleted, also where one page comes to both.
func TestALineThatChangedAndIsGoneIsToldAsDeleted(t *testing.T) {
	h := newHarness(t, application.Policy{})
	kept, gone := h.trial(h.admin), h.trial(h.admin)
	first, err := h.Lines.ListEntitlements(t.Context(), call(h.admin), lines.ListEntitlements{Limit: 10})
	require.NoError(t, err)
	require.NoError(t, errorOf(h.Lines.Describe(t.Context(), call(h.admin),
		lines.Edit{ID: gone.ID(), Description: line.Description{Notes: new(fixture.Text("moved"))}}, shown)))
	require.NoError(t, errorOf(h.Lines.Delete(t.Context(), call(h.admin), gone.ID(), shown)))
	then, err := h.Lines.ListEntitlements(t.Context(), call(h.admin),
		lines.ListEntitlements{After: &first.Next, Limit: 10})
	require.NoError(t, err)
	ids := func(of lines.EntitlementPage) (all []int64) {
		for _, e := range of.Items {
			all = append(all, e.Line)
		}
		return all
	}
	if !slices.Equal(ids(first), []int64{kept.ID(), gone.ID()}) || !slices.Equal(ids(then), []int64{gone.ID()}) ||
		!then.Items[0].Deleted || then.Items[0].Version != 3 || then.More {
		t.Errorf("told of %+v, then %+v", first, then)
	}
}
