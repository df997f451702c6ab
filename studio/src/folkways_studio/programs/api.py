"""Webhooks: addresses that are told what happens in a study."""

from __future__ import annotations

from fastapi import APIRouter

from folkways_studio.programs import deliveries, webhooks
from folkways_studio.web.api.bodies import NewWebhook
from folkways_studio.web.api.calls import Number, OwnerCall
from folkways_studio.web.api.responses import (
    Cursor,
    DeliveryResponse,
    Limit,
    NewWebhookResponse,
    PageResponse,
    WebhookResponse,
    page_of,
)

router = APIRouter(tags=["webhooks"])


@router.get("/studies/{study}/webhooks")
def list_webhooks(call: OwnerCall) -> list[WebhookResponse]:
    """The addresses that are told, without their secrets."""
    return [WebhookResponse.of(each) for each in webhooks.list_webhooks(call.workspace, call.study.id)]


@router.post("/studies/{study}/webhooks", status_code=201)
def make_webhook(call: OwnerCall, body: NewWebhook) -> NewWebhookResponse:
    """Have an address told of events. Deliveries are signed as Standard Webhooks describes it, with the
    secret in the answer."""
    private = call.studio.settings.private_webhooks
    made, secret = webhooks.create_webhook(
        call.workspace, call.study.id, body.url, body.events, private=private, by=call.account.id
    )
    return NewWebhookResponse.of(made, secret=secret)


@router.post("/studies/{study}/webhooks/{webhook}/enable")
def enable_webhook(call: OwnerCall, webhook: Number) -> WebhookResponse:
    """Switch one on again that was switched off after it failed."""
    return WebhookResponse.of(
        webhooks.enable_webhook(call.workspace, call.study.id, webhook, by=call.account.id)
    )


@router.delete("/studies/{study}/webhooks/{webhook}", status_code=204)
def delete_webhook(call: OwnerCall, webhook: Number) -> None:
    """Tell an address nothing any more."""
    webhooks.delete_webhook(call.workspace, call.study.id, webhook, by=call.account.id)


@router.get("/studies/{study}/webhooks/{webhook}/deliveries")
def list_deliveries(
    call: OwnerCall, webhook: Number, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[DeliveryResponse]:
    """What it was told and what became of it, newest first."""
    found = webhooks.get_webhook(call.workspace, call.study.id, webhook)
    rows = deliveries.list_deliveries(call.workspace, [found.id], before=cursor or None, limit=limit + 1)
    return page_of(rows, limit, lambda each: each.id, DeliveryResponse.of)
